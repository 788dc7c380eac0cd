/** The addresses of a pasted list or of a CSV file, each once, in their order. */
export function addressesIn(text: string): string[] {
  const found = text.match(ADDRESS) ?? []
  return [...new Set(found.map((address) => address.replace(/^[.'(]+|[.')]+$/g, '')))]
}

/** What an address may be is for the API to say; this only finds where one stands. */
const ADDRESS = /[^\s,;:"<>|]+@[^\s,;:"<>|]+/g
