// Removes what has expired or grown old, some rows at a time, so that no statement holds its locks for long.

/** Until nothing more is found. Returns how many were removed. */
export async function purge(removeSome: () => Promise<number>): Promise<number> {
  let removed = 0
  for (;;) {
    const some = await removeSome()
    if (some === 0) return removed
    removed += some
  }
}

/** How many, and the blobs that no row names any longer. */
export type RemovedRows = { rows: number; blobKeys: string[] }

/** Rows before blobs: after a crash in between, the next sweep finds the blobs. A row never lacks its blob. */
export const purgeWithBlobs = (blobs: { remove(key: string): Promise<unknown> }, removeSome: () => Promise<RemovedRows>): Promise<number> =>
  purge(async () => {
    const { rows, blobKeys } = await removeSome()
    for (const key of blobKeys) await blobs.remove(key)
    return rows
  })
