/**
 * Checks every row of a table, and fails once if any fails: with the names of all that failed, and what the first failed by. For tables of
 * many rows, whose rows need nothing of their own before or after. A table without rows would prove nothing, and fails.
 */
export async function forEvery<Row>(
  rows: Iterable<Row>,
  check: (row: Row) => unknown,
  nameOf: (row: Row) => string = String,
): Promise<void> {
  const failed: { name: string; error: Error }[] = []
  let isEmpty = true
  for (const row of rows) {
    isEmpty = false
    try {
      await check(row)
    } catch (error) {
      failed.push({ name: nameOf(row), error: error as Error })
    }
  }
  if (isEmpty) throw new Error('The table has no rows')
  const [first] = failed
  if (!first) return
  first.error.message = `${failed.map(({ name }) => name).join(', ')}\n${first.name}: ${first.error.message}`
  throw first.error
}
