// Bounces for a reason that may pass. Several in a row say that an address is not used anymore.

/** After how many in a row, over how many days, an address is suppressed. 0 bounces: never. */
export type SoftBounceLimits = { bounces: number; days: number }

export const NO_SOFT_BOUNCES: SoftBounceLimits = { bounces: 0, days: 0 }

/** Why an address with the origin `bounce` is on the suppression list although its server did not say that it does not exist. */
export const SOFT_BOUNCES = 'soft_bounces' as const

/**
 * About the mailbox or its server. A mail that is too large, or that was refused for what it holds or for who sends it, says nothing about the
 * address: otherwise a blocklist that names our address would suppress all recipients of a large provider.
 */
export const isSoftBounce = ({ type, subType, isSenderFault }: { type: string; subType: string; isSenderFault: boolean }): boolean =>
  type === 'Transient' && (subType === 'General' || subType === 'MailboxFull') && !isSenderFault
