/** Where the console is served. */
export const BASE = '/console'
