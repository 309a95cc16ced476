/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Something to record: threads that walk down random paths through eight methods, allocate at the
 * end of each, and take one lock. usage: Work SECONDS THREADS DEPTH PATHS
 */
public class Work {
	static final Object lock = new Object();
	static volatile Object kept;
	static long sum;

	static long walk(int depth, long seed) {
		if (depth == 0) {
			kept = new byte[(int) (seed & 255) + 16];
			return seed * 31;
		}
		seed = seed * 6364136223846793005L + 1442695040888963407L;
		switch ((int) (seed >>> 61)) {
		case 0: return north(depth - 1, seed);
		case 1: return south(depth - 1, seed);
		case 2: return east(depth - 1, seed);
		case 3: return west(depth - 1, seed);
		case 4: return up(depth - 1, seed);
		case 5: return down(depth - 1, seed);
		case 6: return in(depth - 1, seed);
		default: return out(depth - 1, seed);
		}
	}

	static long north(int depth, long seed) { return walk(depth, seed + 1); }
	static long south(int depth, long seed) { return walk(depth, seed + 2); }
	static long east(int depth, long seed) { return walk(depth, seed + 3); }
	static long west(int depth, long seed) { return walk(depth, seed + 5); }
	static long up(int depth, long seed) { return walk(depth, seed + 7); }
	static long down(int depth, long seed) { return walk(depth, seed + 11); }
	static long in(int depth, long seed) { return walk(depth, seed + 13); }
	static long out(int depth, long seed) { return walk(depth, seed + 17); }

	static void run(long end, long id, int depth, long paths) {
		for (long k = 0; System.currentTimeMillis() < end; k++) {
			long found = walk(depth, (k % paths) * 2654435761L + id);

			synchronized (lock) {
				sum += found;
			}
		}
	}

	public static void main(String[] args) throws Exception {
		long end = System.currentTimeMillis() + Long.parseLong(args[0]) * 1000;
		Thread[] threads = new Thread[Integer.parseInt(args[1])];

		for (int i = 0; i < threads.length; i++) {
			final int id = i;

			threads[i] = new Thread(() -> run(end, id, Integer.parseInt(args[2]),
					Long.parseLong(args[3])), "worker-" + i);
			threads[i].start();
		}
		for (Thread thread : threads)
			thread.join();
	}
}
