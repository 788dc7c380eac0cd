import { useRows } from '../api/queries'
import { DataList, Dimmed } from '../parts/DataList'
import { Page } from '../parts/Page'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'
import { AddDomain } from './AddDomain'
import { ClaimDomain } from './ClaimDomain'

const PAGE_SIZE = 50

export default function DomainsPage() {
  const may = useMay()
  const list = useRows('/domains', { query: { limit: PAGE_SIZE } })
  return (
    <Page
      title={TEXTS.title}
      acts={
        may('domains:write') && (
          <>
            <ClaimDomain />
            <AddDomain />
          </>
        )
      }
    >
      <DataList
        label={TEXTS.title}
        list={list}
        to={({ id }) => `/domains/${id}`}
        empty={TEXTS.empty}
        columns={[
          { name: TEXTS.name, cell: ({ name }) => name },
          { name: TEXTS.state, cell: ({ status }) => <StateBadge state={status} /> },
          { name: TEXTS.purpose, cell: ({ capabilities }) => <Dimmed>{purposesOf(capabilities)}</Dimmed> },
          {
            name: TEXTS.tracking,
            cell: ({ open_tracking, click_tracking }) => (
              <Dimmed>{[open_tracking && TEXTS.opens, click_tracking && TEXTS.clicks].filter(Boolean).join(', ') || '–'}</Dimmed>
            ),
            isWide: true,
          },
          { name: TEXTS.created, cell: ({ created_at }) => <Time at={created_at} form="day" />, isWide: true },
        ]}
      />
    </Page>
  )
}

const purposesOf = ({ sending, receiving }: { sending: string; receiving: string }): string =>
  [sending === 'enabled' && TEXTS.purposes.sending, receiving === 'enabled' && TEXTS.purposes.receiving].filter(Boolean).join(', ')
