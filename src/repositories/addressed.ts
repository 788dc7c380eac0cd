/**
 * SQL: the recipients with an address in lower case, in the form in which their index finds them.
 *
 * @param address SQL for the address
 */
export const isTo = (address: string): string =>
  `hashtextextended(lower(address), 0) = hashtextextended(${address}, 0) and lower(address) = ${address}`
