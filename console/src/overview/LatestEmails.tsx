import { useRecord } from '../api/queries'
import { EmailState } from '../emails/EmailState'
import { Address } from '../parts/Address'
import { DataTable } from '../parts/DataTable'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { EMAIL_TEXTS } from '../texts/emails'
import { OVERVIEW_TEXTS as TEXTS } from '../texts/overview'

const SHOWN = 6

/** What was sent just now, and what became of it. */
export function LatestEmails() {
  const { data: emails } = useRecord('/emails', { query: { limit: SHOWN } })
  if (!emails || emails.data.length === 0) return null
  return (
    <Section
      title={TEXTS.latest}
      acts={
        <PageLink to="/emails" size="sm">
          {TEXTS.allEmails}
        </PageLink>
      }
    >
      <DataTable
        label={TEXTS.latest}
        rows={emails.data}
        to={({ id }) => `/emails/${id}`}
        columns={[
          { name: EMAIL_TEXTS.to, cell: ({ to }) => <Address of={to[0] ?? ''} />, share: '30%' },
          { name: EMAIL_TEXTS.state, cell: (email) => <EmailState email={email} /> },
          { name: EMAIL_TEXTS.subject, cell: ({ subject }) => <bdi>{subject || EMAIL_TEXTS.noSubject}</bdi>, share: '50%' },
          { name: EMAIL_TEXTS.created, cell: ({ created_at }) => <Time at={created_at} />, isAside: true },
        ]}
      />
    </Section>
  )
}
