// Why mail is refused for its sender. A subdomain of a verified domain needs a verification of its own.

export const notVerified = (domain: string): string =>
  `Your team has not verified the domain \`${domain}\`. Register it with POST /domains, publish its DNS records, and verify it.`

/** The sentence for the reader of a failed email. */
export const noLongerVerified = (domain: string): string => `When the email was due, the domain ${domain} of its sender was not verified.`

/** The sentence for the reader of a failed email. */
export const keysGone = (domain: string): string =>
  `The domain ${domain} of its sender was deleted, or went to another team, before the email was delivered. It could only be sent without a DKIM signature, so it was not sent.`

export const notOfKey = (domain: string, keyDomain: string): string =>
  `This API key may only send from the domain \`${keyDomain}\`, not from \`${domain}\`. Use a key for that domain.`

export const KEY_DOMAIN_DELETED =
  'This API key may only send from a domain that has been deleted, so it cannot send. Use another key; registering the domain again does not help.'

/** The sentence for the reader of a failed email. */
export const KEY_DOMAIN_GONE = 'When the email was due, the only domain that its API key may send from had been deleted.'
