// Why mail is refused for its sender. A subdomain of a verified domain needs a verification of its own.

export const notVerified = (domain: string): string =>
  `Your team has not verified the domain \`${domain}\`. Register it with POST /domains, publish its DNS records, and verify it.`

/** For the reader of a failed email. */
export const noLongerVerified = (domain: string): string => `When the email was due, the domain ${domain} of its sender was not verified.`
