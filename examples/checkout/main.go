// SPDX-License-Identifier: Apache-2.0

// Checkout is the service whose CPU profile is examples/checkout.pb.gz: a small shop that parses an
// order, validates it, prices it, signs it and renders a receipt. It processes a number of orders
// and writes the profile that Go's own profiler takes, with the endpoint as a label.
//
// With -slow it makes a mistake seen in many services: instead of a map lookup, it searches a list
// from its beginning, for each item of each order. That profile is
// examples/checkout-slow.pb.gz, for `varve diff`.
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/rand"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"sort"
	"strings"
	"sync"
	"text/template"
)

type Item struct {
	Number   int     `json:"number"`
	SKU      string  `json:"sku"`
	Name     string  `json:"name"`
	Quantity int     `json:"quantity"`
	Price    float64 `json:"price"`
}

type Order struct {
	ID      string  `json:"id"`
	Email   string  `json:"email"`
	Country string  `json:"country"`
	Items   []Item  `json:"items"`
	Total   float64 `json:"total"`
	Proof   string  `json:"proof"`
}

var (
	emailRegexp = regexp.MustCompile(`^[a-z0-9._%+-]+@[a-z0-9.-]+\.[a-z]{2,8}$`)
	receipt     = template.Must(template.New("receipt").Parse(
		`Order {{.ID}} for {{.Email}}
{{range .Items}}{{printf "%3d" .Quantity}} x {{.Name}}  {{printf "%.2f" .Price}}
{{end}}Total {{printf "%.2f" .Total}}
`))
	writers = sync.Pool{New: func() any { return gzip.NewWriter(nil) }}
	key     = []byte("not a secret")
	slow    = flag.Bool("slow", false, "search prices in the whole catalogue")
)

// Catalog contains the items that the shop sells.
type Catalog struct {
	items    []Item
	byNumber map[int]*Item
}

func (c *Catalog) find(number int) *Item {
	if *slow {
		return c.search(number)
	}
	return c.byNumber[number]
}

// search is the mistake: a linear search.
func (c *Catalog) search(number int) *Item {
	for i := range c.items {
		if c.items[i].Number == number {
			return &c.items[i]
		}
	}
	return nil
}

func parseOrder(body []byte) (*Order, error) {
	var order Order
	if err := json.Unmarshal(body, &order); err != nil {
		return nil, err
	}
	return &order, nil
}

// validateOrder also sets the prices from the catalogue.
func validateOrder(catalog *Catalog, order *Order) error {
	if !emailRegexp.MatchString(order.Email) {
		return fmt.Errorf("bad e-mail %q", order.Email)
	}
	for i, item := range order.Items {
		known := catalog.find(item.Number)
		if known == nil {
			return fmt.Errorf("no item %d", item.Number)
		}
		order.Items[i].Price = known.Price
		if strings.TrimSpace(item.Name) == "" || item.Quantity < 1 {
			return fmt.Errorf("bad item %q", item.SKU)
		}
	}
	return nil
}

// priceOrder sorts by value, so that the most expensive items get the discount first.
func priceOrder(order *Order) {
	sort.Slice(order.Items, func(i, j int) bool {
		return order.Items[i].Price*float64(order.Items[i].Quantity) >
			order.Items[j].Price*float64(order.Items[j].Quantity)
	})
	order.Total = 0
	for i, item := range order.Items {
		order.Total += item.Price * float64(item.Quantity) * discount(i) * vat(order.Country)
	}
}

func discount(rank int) float64 {
	rate := 0.2
	for ; rank > 0; rank-- {
		rate *= 0.8
	}
	return 1 - rate
}

func vat(country string) float64 {
	switch country {
	case "AT", "FR":
		return 1.20
	case "DE":
		return 1.19
	}
	return 1.21
}

func signOrder(order *Order) {
	mac := hmac.New(sha256.New, key)
	for _, item := range order.Items {
		fmt.Fprintf(mac, "%s:%d:%.2f;", item.SKU, item.Quantity, item.Price)
	}
	order.Proof = hex.EncodeToString(mac.Sum(nil))
}

func renderReceipt(order *Order) ([]byte, error) {
	var text bytes.Buffer
	err := receipt.Execute(&text, order)
	return text.Bytes(), err
}

func compressAnswer(answer []byte) int {
	var out bytes.Buffer
	z := writers.Get().(*gzip.Writer)
	defer writers.Put(z)
	z.Reset(&out)
	z.Write(answer)
	z.Close()
	return out.Len()
}

func handleCheckout(catalog *Catalog, body []byte) error {
	order, err := parseOrder(body)
	if err != nil {
		return err
	}
	if err := validateOrder(catalog, order); err != nil {
		return err
	}
	priceOrder(order)
	signOrder(order)
	text, err := renderReceipt(order)
	if err != nil {
		return err
	}
	compressAnswer(text)
	return nil
}

func handleSearch(catalog *Catalog, words string) int {
	found := 0
	for _, item := range catalog.items {
		if strings.Contains(strings.ToLower(item.Name), words) {
			found++
		}
	}
	return found
}

func makeCatalog(r *rand.Rand) *Catalog {
	nouns := []string{"Kettle", "Lamp", "Chair", "Notebook", "Scarf", "Teapot"}
	colours := []string{"Red", "Blue", "Walnut", "Copper", "Plain"}
	catalog := &Catalog{byNumber: map[int]*Item{}}
	for i := 0; i < 10000; i++ {
		catalog.items = append(catalog.items, Item{
			Number:   i,
			SKU:      fmt.Sprintf("SKU-%05d", i),
			Name:     colours[r.Intn(len(colours))] + " " + nouns[r.Intn(len(nouns))],
			Quantity: 1 + r.Intn(4),
			Price:    float64(r.Intn(9900)+100) / 100,
		})
	}
	for i := range catalog.items {
		catalog.byNumber[i] = &catalog.items[i]
	}
	return catalog
}

func makeOrder(r *rand.Rand, catalog *Catalog) []byte {
	order := Order{ID: fmt.Sprint(r.Int63()), Email: "ada.l@example.org", Country: "DE"}
	for i := 0; i < 5+r.Intn(40); i++ {
		order.Items = append(order.Items, catalog.items[r.Intn(len(catalog.items))])
	}
	body, err := json.Marshal(order)
	if err != nil {
		log.Fatal(err)
	}
	return body
}

func serve(count int) {
	r := rand.New(rand.NewSource(1))
	catalog := makeCatalog(r)
	var orders [][]byte
	for i := 0; i < 200; i++ {
		orders = append(orders, makeOrder(r, catalog))
	}
	for n := 0; n < count; n++ {
		pprof.Do(context.Background(), pprof.Labels("endpoint", "POST /checkout"), func(context.Context) {
			if err := handleCheckout(catalog, orders[n%len(orders)]); err != nil {
				log.Fatal(err)
			}
		})
		if n%30 == 0 {
			pprof.Do(context.Background(), pprof.Labels("endpoint", "GET /search"), func(context.Context) {
				handleSearch(catalog, "copper tea")
			})
		}
	}
}

func main() {
	out := flag.String("o", "checkout.pb.gz", "output file of the profile")
	count := flag.Int("orders", 40000, "number of orders to process")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(400)

	f, err := os.Create(*out)
	if err != nil {
		log.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		log.Fatal(err)
	}
	serve(*count)
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		log.Fatal(err)
	}
}
