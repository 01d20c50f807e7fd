// SPDX-License-Identifier: Apache-2.0
package io.corelane.benchmarks;

import io.corelane.LongFork;
import java.util.Random;
import java.util.concurrent.RecursiveAction;
import org.jspecify.annotations.Nullable;

/** A binary tree of numbers that were added in random order. */
final class TreeNode {
    private final int value;
    private @Nullable TreeNode left;
    private @Nullable TreeNode right;

    private TreeNode(int value) {
        this.value = value;
    }

    static TreeNode random(int nodes) {
        Random random = new Random(1);
        TreeNode root = new TreeNode(random.nextInt());
        for (int i = 1; i < nodes; i++) {
            root.add(new TreeNode(random.nextInt()));
        }
        return root;
    }

    private void add(TreeNode node) {
        TreeNode at = this;
        while (true) {
            TreeNode next = node.value < at.value ? at.left : at.right;
            if (next != null) {
                at = next;
            } else if (node.value < at.value) {
                at.left = node;
                return;
            } else {
                at.right = node;
                return;
            }
        }
    }

    long sum() {
        return value + (left == null ? 0 : left.sum()) + (right == null ? 0 : right.sum());
    }

    int forks() {
        return (left == null ? 0 : 1 + left.forks()) + (right == null ? 0 : right.forks());
    }

    private long sumLazily() {
        Lazy forked = null;
        if (left != null) {
            forked = new Lazy(left);
            forked.fork();
        }
        long sum = value + (right == null ? 0 : right.sumLazily());
        return forked == null ? sum : sum + forked.join();
    }

    private long sumEagerly() {
        Eager forked = null;
        if (left != null) {
            forked = new Eager(left);
            var ignored = forked.fork();
        }
        long sum = value + (right == null ? 0 : right.sumEagerly());
        if (forked != null) {
            forked.join();
            sum += forked.result;
        }
        return sum;
    }

    /** A fork of Corelane. */
    static final class Lazy extends LongFork {
        private final TreeNode node;

        Lazy(TreeNode node) {
            this.node = node;
        }

        @Override
        protected long compute() {
            return node.sumLazily();
        }
    }

    /** A fork of ForkJoinPool. */
    static final class Eager extends RecursiveAction {
        private static final long serialVersionUID = 1L;

        @SuppressWarnings("serial") // never written
        private final TreeNode node;

        long result;

        Eager(TreeNode node) {
            this.node = node;
        }

        @Override
        protected void compute() {
            result = node.sumEagerly();
        }
    }
}
