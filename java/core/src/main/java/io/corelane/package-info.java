// SPDX-License-Identifier: Apache-2.0
/**
 * The scheduler: {@link io.corelane.PinnedScheduler} runs jobs on workers that are each pinned to one logical CPU, and
 * {@link io.corelane.JobHandle} is the caller's side of a job.
 */
package io.corelane;
