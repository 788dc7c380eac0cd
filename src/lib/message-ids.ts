/** The Message-ID of an email, with its angle brackets. It is stored nowhere. `fromDomain` is an A-label. */
export const messageIdOf = ({ id, fromDomain }: { id: string; fromDomain: string }): string => `<${id}@${fromDomain}>`
