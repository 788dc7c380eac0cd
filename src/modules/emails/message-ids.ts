/** The Message-ID of an email, with its angle brackets. It is stored nowhere. `fromDomain` is an A-label. */
export const messageIdOf = ({ id, fromDomain }: { id: string; fromDomain: string }): string => `<${id}@${fromDomain}>`

/** SQL: the Message-ID of an email, as `messageIdOf` makes it, of the SQL for its columns. */
export const messageIdSql = ({ id, fromDomain }: { id: string; fromDomain: string }): string =>
  `('<' || ${id} || '@' || ${fromDomain} || '>')`

/** The Message-ID of an email `e`. */
export const MESSAGE_ID = messageIdSql({ id: 'e.id', fromDomain: 'e.from_domain' })

/** Null unless the Message-ID may be one of ours: these begin with the id of the email. */
export const emailIdOf = (messageId: string): string | null => EMAIL_ID.exec(messageId)?.[1] ?? null

export const EMAIL_ID = /^<([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})@/
