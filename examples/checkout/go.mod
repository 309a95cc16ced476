module shop.example/checkout

go 1.19
