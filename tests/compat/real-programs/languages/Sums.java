// SPDX-License-Identifier: Apache-2.0
// Threads of the JVM that begin regions, with its own signals and its collector of garbage beside.
public class Sums {
    static native long sumOfSquares(int count);

    public static void main(String[] arguments) throws Exception {
        System.loadLibrary("sums");
        long[] sums = new long[4];
        Thread[] threads = new Thread[sums.length];
        for (int i = 0; i < threads.length; ++i) {
            final int number = i;
            threads[i] = new Thread(() -> {
                for (int k = 0; k < 50; ++k) {
                    sums[number] = sumOfSquares(1000000 * (number + 1));
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) {
            thread.join();
            System.gc();
        }
        for (long sum : sums) {
            System.out.println(sum);
        }
    }
}
