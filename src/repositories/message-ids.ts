/** SQL: the Message-ID of an email, as `messageIdOf` (lib/message-ids.ts) makes it, of the SQL for its columns. */
export const messageIdSql = ({ id, fromDomain }: { id: string; fromDomain: string }): string =>
  `('<' || ${id} || '@' || ${fromDomain} || '>')`

/** The Message-ID of an email `e`. */
export const MESSAGE_ID = messageIdSql({ id: 'e.id', fromDomain: 'e.from_domain' })
