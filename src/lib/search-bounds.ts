// How many records one search of a list reads.

export const EMAILS_SEARCHED_MAX = 10_000
export const BROADCASTS_SEARCHED_MAX = 10_000
export const LOGS_SEARCHED_MAX = 10_000
export const CONTACTS_SEARCHED_MAX = 20_000

/** Emails to one address lie apart, so that each is a page of the table. */
export const EMAILS_OF_ADDRESS_SEARCHED_MAX = 2_000

/** Received emails to one address lie apart too. So many are read to find those from one sender. */
export const RECEIVED_SEARCHED_MAX = 2_000
