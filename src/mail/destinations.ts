/** Where a delivery goes, as its lane knows it: the recipient's domain, or the one relay. No DNS is needed to tell. */
export const destinationOf = (address: string, delivery: 'capture' | 'relay'): string =>
  delivery === 'relay' ? 'relay' : address.slice(address.lastIndexOf('@') + 1)
