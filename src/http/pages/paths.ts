/** Where the console begins. */
export const CONSOLE = '/console'

/** Where a person lets the command line act for them. */
export const DEVICE = '/console/device'

/** Where a person decides whether a program gets access. */
export const consentPath = (uid: string): string => `${CONSOLE}/connect/${encodeURIComponent(uid)}`
