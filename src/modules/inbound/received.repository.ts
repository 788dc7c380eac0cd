// The emails that a team has received; in SQL where they are searched and removed. Those that wait to be read are not shown yet.

import { RECEIVED_SEARCHED_MAX } from '../../db/bounded-queries.ts'
import { stored } from '../../db/columns.ts'
import { type Database, statement } from '../../db/database.ts'
import { boundOf, type Keyset, readPage } from '../../db/page.ts'
import type { Prisma } from '../../generated/prisma/client.ts'
import { idBound } from '../../lib/ids.ts'
import type { PageRequest } from '../../lib/page-request.ts'
import type { RemovedRows } from '../../lib/purge.ts'
import type { Page, SearchPage } from '../../lib/validation/common.schema.ts'
import type { FilterResult } from './filter/message-filter.client.ts'

// How the emails that a team receives are written, in the statement that stores all that the SMTP server took.

/** A message for one team. Its blob was stored before. */
export type NewReceivedEmail = {
  id: string
  teamId: string
  mailFrom: string
  /** The addresses of the team to which it came. */
  rcptTo: string[]
  blobKey: string
  bytes: number
  peer: string
  helo: string
  tls: string | null
  createdAt: Date
  /** Null if there is no filter. */
  filter: FilterResult | null
}

export const RECEIVED_COLUMNS = {
  names: 'id, team_id, mail_from, rcpt_to, blob_key, bytes, peer, helo, tls, created_at, filter',
  values: `n.id, n."teamId", n."mailFrom", n."rcptTo", n."blobKey", n.bytes, n.peer, n.helo, n.tls, n."createdAt", n.filter`,
  types: `id uuid, "teamId" uuid, "mailFrom" text, "rcptTo" text[], "blobKey" uuid, bytes int, peer text, helo text, tls text, "createdAt" timestamptz, filter jsonb`,
}

const attachmentColumns = {
  id: true,
  filename: true,
  contentType: true,
  contentDisposition: true,
  contentId: true,
  size: true,
  blobKey: true,
} as const

const summaryColumns = {
  id: true,
  from: true,
  fromName: true,
  to: true,
  cc: true,
  bcc: true,
  replyTo: true,
  receivedFor: true,
  subject: true,
  messageId: true,
  problem: true,
  createdAt: true,
} as const

const columns = {
  ...summaryColumns,
  blobKey: true,
  bytes: true,
  headers: true,
  html: true,
  text: true,
  spf: true,
  dkim: true,
  dmarc: true,
  arc: true,
  filter: true,
  isAutoReply: true,
  inReplyToEmailId: true,
  sentEmailId: true,
} as const

export type ReceivedAttachmentRow = Prisma.ReceivedAttachmentGetPayload<{ select: typeof attachmentColumns }>
type WithAttachments<Row> = Row & { attachments: ReceivedAttachmentRow[] }
export type ReceivedSummaryRow = WithAttachments<Prisma.ReceivedEmailGetPayload<{ select: typeof summaryColumns }>>
type StoredEmailRow = Prisma.ReceivedEmailGetPayload<{ select: typeof columns }>
export type ReceivedEmailRow = WithAttachments<Omit<StoredEmailRow, 'filter'> & { filter: FilterResult | null }>

export type SharedReceivedRow = ReceivedSummaryRow & Pick<ReceivedEmailRow, 'html' | 'text'> & { teamId: string }

export type ReceivedFilter = { to: string | null; from: string | null }

/**
 * The limit for the rows of one page of the list. An email can name thousands of addresses and 200 files, so that a hundred emails could be 150 MB.
 */
const LIST_BYTES_MAX = 4 * 1024 * 1024

/** Emails that one statement removes. */
const REMOVED_AT_ONCE = 200

export function receivedEmailRepository(
  { tables, execute, transaction }: Pick<Database, 'tables' | 'execute' | 'transaction'>,
  { searchedMax = RECEIVED_SEARCHED_MAX }: { searchedMax?: number } = {},
) {
  async function attachmentsOf(teamId: string, emailIds: string[]): Promise<Map<string, ReceivedAttachmentRow[]>> {
    const rows = await tables.receivedAttachment.findMany({
      where: { teamId, emailId: { in: emailIds } },
      select: { ...attachmentColumns, emailId: true },
      orderBy: { id: 'asc' },
    })
    return Map.groupBy(rows, ({ emailId }) => emailId)
  }

  /** The emails of a page whose rows have about `LIST_BYTES_MAX` together, or the first alone. */
  async function fittingIds(
    teamId: string,
    { to, from }: ReceivedFilter,
    keyset: Keyset,
  ): Promise<{ ids: string[]; isCut: boolean; searchedTo: string | null }> {
    const ofOrder = LISTS[keyset.orderBy.id]
    const page = [teamId, boundOf(keyset), keyset.take]
    const ask = (query: ReturnType<typeof statement>, ...values: unknown[]) =>
      execute<{ id: string; bytes: string | null }>(query, [...page, ...values])
    const found = await (to !== null && from !== null
      ? ask(ofOrder.between, from, to, searchedMax)
      : to !== null
        ? ask(ofOrder.to, to)
        : from !== null
          ? ask(ofOrder.from, from)
          : ask(ofOrder.all))
    const rows = found.filter(({ bytes }) => bytes !== null)
    const searchedTo = rows.length < keyset.take ? (found.find(({ bytes }) => bytes === null)?.id ?? null) : null
    let bytes = 0
    const fitting = rows.filter((row, index) => {
      bytes += Number(row.bytes)
      return index === 0 || bytes <= LIST_BYTES_MAX
    })
    const isCut = fitting.length < rows.length
    return { ids: fitting.map(({ id }) => id), isCut, searchedTo: isCut ? null : searchedTo }
  }

  const remove = (text: ReturnType<typeof statement>, values: unknown[]): Promise<RemovedRows> =>
    transaction(async (inside) => {
      const removed = await inside<{ id: string; blobKey: string }>(text, values)
      const ids = removed.map(({ id }) => id)
      if (ids.length === 0) return { rows: 0, blobKeys: [] }
      // What was told of them names people, and what they wrote.
      await inside('delete from notifications where subject_id = any($1::uuid[])', [ids])
      await inside('delete from received_recipients where email_id = any($1::uuid[])', [ids])
      const files = await inside<{ blobKey: string }>(
        'delete from received_attachments where email_id = any($1::uuid[]) returning blob_key as "blobKey"',
        [ids],
      )
      return { rows: ids.length, blobKeys: [...removed, ...files].map(({ blobKey }) => blobKey) }
    })

  return {
    async find(teamId: string, id: string): Promise<ReceivedEmailRow | null> {
      const row = await tables.receivedEmail.findFirst({ where: { teamId, id, state: 'read' }, select: columns })
      if (row === null) return null
      return { ...row, filter: stored(row.filter), attachments: (await attachmentsOf(teamId, [row.id])).get(row.id) ?? [] }
    },

    /** Serves links that anyone who has one can open. Reads at most so many characters of the HTML and of the text. */
    async findBeginningAcrossTeams(id: string, lengthMax: number): Promise<SharedReceivedRow | null> {
      const row = await tables.receivedEmail.findFirst({ where: { id, state: 'read' }, select: { ...summaryColumns, teamId: true } })
      const [content] = await execute<Pick<ReceivedEmailRow, 'html' | 'text'>>(BEGINNING, [id, lengthMax])
      if (row === null || content === undefined) return null
      return { ...row, ...content, attachments: (await attachmentsOf(row.teamId, [row.id])).get(row.id) ?? [] }
    },

    /** Bytes of its HTML and its text. Null if there is no such email. */
    async contentBytes(teamId: string, id: string): Promise<number | null> {
      const [row] = await execute<{ bytes: number }>(LENGTH, [teamId, id])
      return row?.bytes ?? null
    },

    async has(teamId: string, id: string): Promise<boolean> {
      return (await tables.receivedEmail.count({ where: { teamId, id, state: 'read' } })) > 0
    },

    /** Addresses of the filter are compared without regard to case. The page ends early if its rows are large. */
    async list(teamId: string, filter: ReceivedFilter, request: PageRequest): Promise<SearchPage<ReceivedSummaryRow>> {
      let isCutPage = false
      let searchedTo: string | null = null
      const page = await readPage(request, async (keyset) => {
        const { ids, isCut, ...searched } = await fittingIds(teamId, filter, keyset)
        isCutPage = isCut
        searchedTo = searched.searchedTo
        const { orderBy } = keyset
        const rows = await tables.receivedEmail.findMany({ where: { teamId, id: { in: ids } }, select: summaryColumns, orderBy })
        const attachments = await attachmentsOf(teamId, ids)
        return rows.map((row) => ({ ...row, attachments: attachments.get(row.id) ?? [] }))
      })
      return { ...page, hasMore: page.hasMore || isCutPage || searchedTo !== null, searchedTo }
    },

    attachments(teamId: string, emailId: string, request: PageRequest): Promise<Page<ReceivedAttachmentRow>> {
      return readPage(request, ({ where, ...rest }) =>
        tables.receivedAttachment.findMany({ where: { teamId, emailId, ...where }, select: attachmentColumns, ...rest }),
      )
    },

    findAttachment(teamId: string, emailId: string, id: string): Promise<ReceivedAttachmentRow | null> {
      return tables.receivedAttachment.findFirst({ where: { teamId, emailId, id }, select: attachmentColumns })
    },

    /** For signed links only, which name a file and no team. */
    findAttachmentAcrossTeams(id: string): Promise<ReceivedAttachmentRow | null> {
      return tables.receivedAttachment.findUnique({ where: { id }, select: attachmentColumns })
    },

    /** Finds the raw message. */
    findRawAcrossTeams(id: string): Promise<{ blobKey: string; bytes: number } | null> {
      return tables.receivedEmail.findUnique({ where: { id }, select: { blobKey: true, bytes: true } })
    },

    /** The blobs are to be removed afterwards. */
    remove: (teamId: string, id: string): Promise<RemovedRows> => remove(REMOVE_ONE, [teamId, id]),

    /** Some of those that came before `before`. */
    removeOldAcrossTeams: (before: Date): Promise<RemovedRows> => remove(REMOVE_OLD, [idBound(before.getTime()), before]),
  }
}

/** What a file has in the list besides its names. */
const FILE_BYTES = 200

/** What the rows of an email have, about. `e`: the email. */
const ROW_BYTES = `octet_length(array_to_string(e."to" || e.cc || e.bcc || e.reply_to || e.received_for, '","'))
    + octet_length(coalesce(e.subject, '')) + octet_length(coalesce(e.message_id, ''))
    + coalesce((
      select sum(${FILE_BYTES} + octet_length(coalesce(a.filename, '')) + octet_length(a.content_type) + octet_length(coalesce(a.content_id, '')))
      from received_attachments a where a.team_id = e.team_id and a.email_id = e.id
    ), 0)`

type Direction = { beyond: '<' | '>'; order: 'desc' | 'asc' }

const listed = ({ beyond, order }: Direction) =>
  statement(
    `received emails, ${order}`,
    `
select e.id, ${ROW_BYTES} as bytes
from received_emails e
where e.team_id = $1 and e.state = 'read' and ($2::uuid is null or e.id ${beyond} $2::uuid)
order by e.id ${order} limit $3`,
  )

/** In the order of the index of senders, which leaves no other to read them by: the index of ids would lead to each email of the team. */
const listedFrom = ({ beyond, order }: Direction) =>
  statement(
    `received emails from a sender, ${order}`,
    `
select e.id, ${ROW_BYTES} as bytes
from received_emails e
where e.team_id = $1 and e.state = 'read' and ($2::uuid is null or e.id ${beyond} $2::uuid)
  and lower(e."from") >= lower($4::text) and lower(e."from") <= lower($4::text)
order by lower(e."from") ${order === 'desc' ? 'asc' : 'desc'}, e.id ${order} limit $3`,
  )

/** The index of addresses is read in its order for the same reason. */
const listedTo = ({ beyond, order }: Direction) =>
  statement(
    `received emails to an address, ${order}`,
    `
select e.id, e.bytes
from received_recipients r
cross join lateral (
  select e.id, ${ROW_BYTES} as bytes
  from received_emails e
  where e.id = r.email_id and e.team_id = $1 and e.state = 'read'
  offset 0
) e
where r.team_id = $1 and ($2::uuid is null or r.email_id ${beyond} $2::uuid) and r.address >= lower($4::text) and r.address <= lower($4::text)
order by r.address ${order}, r.email_id ${order} limit $3`,
  )

/** Reads a bounded number of emails to the address. Beside those that were found the last one that was read, without bytes, if as many were read as may be. */
const listedBetween = ({ beyond, order }: Direction) =>
  statement(
    `received emails to an address from a sender, ${order}`,
    `
with read as materialized (
  select r.email_id as id from received_recipients r
  where r.team_id = $1 and ($2::uuid is null or r.email_id ${beyond} $2::uuid) and r.address >= lower($5::text) and r.address <= lower($5::text)
  order by r.address ${order}, r.email_id ${order} limit $6
)
(select e.id, e.bytes
 from (select id from read order by id ${order} offset 0) r
 cross join lateral (
   select e.id, ${ROW_BYTES} as bytes
   from received_emails e
   where e.id = r.id and e.team_id = $1 and e.state = 'read' and lower(e."from") = lower($4::text)
   offset 0
 ) e
 order by e.id ${order} limit $3)
union all
(select id, null from read order by id ${order} offset $6 - 1)`,
  )

const lists = (direction: Direction) => ({
  all: listed(direction),
  from: listedFrom(direction),
  to: listedTo(direction),
  between: listedBetween(direction),
})

const LISTS = { asc: lists({ beyond: '>', order: 'asc' }), desc: lists({ beyond: '<', order: 'desc' }) }

const LENGTH = statement(
  'length of a received email',
  `select coalesce(octet_length(html), 0) + coalesce(octet_length(text), 0) as bytes from received_emails where team_id = $1 and id = $2 and state = 'read'`,
)

const BEGINNING = statement(
  'beginning of a received email',
  'select left(html, $2) as html, left(text, $2) as text from received_emails where id = $1',
)

const REMOVE_ONE = statement(
  'remove received email',
  `delete from received_emails where team_id = $1 and id = $2 and state = 'read' returning id, blob_key as "blobKey"`,
)

const REMOVE_OLD = statement(
  'remove old received emails',
  `delete from received_emails where id = any(array(
  select id from received_emails where id < $1 and state = 'read' and created_at < $2 order by id limit ${REMOVED_AT_ONCE} for update skip locked
)) returning id, blob_key as "blobKey"`,
)
