/** The address alone of `Ada <ada@example.com>`. */
export const addressIn = (mailbox: string): string => (/<([^<>]+)>\s*$/.exec(mailbox)?.[1] ?? mailbox).trim()

export const domainIn = (mailbox: string): string => addressIn(mailbox).split('@').at(-1)?.toLowerCase() ?? ''

/** The addresses of `ada@example.com, grace@example.com`. */
export const addressList = (text: string): string[] =>
  text
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '')
