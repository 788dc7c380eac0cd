/** The style of what is not broken at its blanks. */
export const IN_ONE_LINE = { whiteSpace: 'nowrap' } as const
