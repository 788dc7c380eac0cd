/** What JavaScript calls white space, for PostgreSQL, whose own notion depends on the locale of the database. */
export const WHITE_SPACE =
  '\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

/** Whether a value counts as empty, wherever that is asked: in fallbacks, rules and filters. A text of white space alone shows nothing. */
export const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
