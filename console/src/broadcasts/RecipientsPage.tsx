import { type RowOf, useRecord, useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { DownloadButton, pathOf } from '../parts/DownloadButton'
import { type Filter, Filters } from '../parts/Filters'
import { countOf } from '../parts/numbers'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { wordsOf } from '../parts/StateBadge'
import { useAddressPart, useFilters } from '../shell/address'
import { BROADCAST_TEXTS as TEXTS } from '../texts/broadcasts'

const TYPES = ['sent', 'delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed', 'suppressed', 'failed', 'canceled']
const BOUNCES = ['permanent', 'transient', 'undetermined']

/** The recipients to whom something happened. */
export default function RecipientsPage() {
  const id = useAddressPart('broadcastId')
  const [{ type = 'sent', ...others }, setFilters] = useFilters(['type', 'email', 'bounce_type'])
  const isBounced = type === 'bounced'
  const { data: broadcast } = useRecord('/broadcasts/{broadcast_id}', { path: { broadcast_id: id } })
  const list = useRows('/broadcasts/{broadcast_id}/recipients', {
    path: { broadcast_id: id },
    query: { type, email: others.email, ...(isBounced && { bounce_type: others.bounce_type }) } as never,
  })
  const filters: Filter[] = [
    { name: 'type', label: TEXTS.whatHappened, kind: 'choice', choices: TYPES },
    { name: 'email', label: TEXTS.partOfAddress, kind: 'text' },
  ]
  if (isBounced) filters.push({ name: 'bounce_type', label: TEXTS.bounceType, kind: 'choice', choices: BOUNCES })
  return (
    <Page
      title={TEXTS.recipientsTitle}
      back={{ to: `/broadcasts/${id}`, name: broadcast?.name ?? TEXTS.title }}
      acts={<DownloadButton name={TEXTS.csv} path={pathOf(`/broadcasts/${id}/recipients/export`, { type })} />}
    >
      <Filters filters={filters} values={{ ...others, type }} onChange={setFilters} />
      <DataList
        label={TEXTS.recipientsTitle}
        list={list}
        empty={TEXTS.noRecipients}
        isFiltered={others.email !== undefined}
        columns={[
          { name: TEXTS.recipient, cell: (row) => <Recipient row={row} /> },
          { name: wordsOf(type), cell: (row) => <What row={row} /> },
          {
            name: TEXTS.message,
            cell: (row) => (
              <PageLink onlyLeads to={`/emails/${row.id}`}>
                {TEXTS.theEmail}
              </PageLink>
            ),
          },
        ]}
      />
    </Page>
  )
}

type Row = RowOf<'/broadcasts/{broadcast_id}/recipients'>

const Recipient = ({ row: { contact_id, email } }: { row: Row }) =>
  contact_id === null ? email : <PageLink to={`/contacts/${contact_id}`}>{email}</PageLink>

const What = ({ row: { count, bounce_type, clicked_links } }: { row: Row }) => (
  <>
    {bounce_type !== undefined && wordsOf(bounce_type)}
    {count !== undefined && count > 1 && <Dimmed>{TEXTS.times(countOf(count))}</Dimmed>}
    {clicked_links?.map(({ url, clicks }) => (
      <div key={url}>
        <Dimmed>
          {url}
          {clicks > 1 && ` (${TEXTS.times(countOf(clicks))})`}
        </Dimmed>
      </div>
    ))}
  </>
)
