// Work that may end the process that does it. A claim without an outcome is counted, and each kind of work asks here what its count means.

/**
 * What was claimed this often without an outcome may kill its workers. From then on it is claimed alone, or as the only such one that its worker
 * holds, so that it takes nothing else with it and is to blame if the worker dies.
 */
export const CLAIMS_BEFORE_SUSPICION = 3

/** What was claimed more often is given up, so that nothing can kill the service forever. */
export const CLAIMS_MAX = 5

export const isGivenUp = ({ claims }: { claims: number }): boolean => claims > CLAIMS_MAX
