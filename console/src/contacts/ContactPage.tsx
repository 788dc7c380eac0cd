import { Grid, Stack } from '@mantine/core'
import { useRecord, useRows } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { CONTACT_TEXTS as TEXTS } from '../texts/contacts'
import { ContactActs } from './ContactActs'
import { ContactEvents } from './ContactEvents'
import { ContactSegments } from './ContactSegments'
import { ContactTimeline } from './ContactTimeline'
import { ContactTopics } from './ContactTopics'
import { Deliverability } from './Deliverability'
import { SubscriptionBadge } from './SubscriptionBadge'

const TOPICS_MAX = 100

export default function ContactPage() {
  const may = useMay()
  const reference = useAddressPart('contactId')
  const { data: contact, error, refetch } = useRecord('/contacts/{contact_id}', { path: { contact_id: reference } })
  const id = contact?.id ?? ''
  const { data: standing } = useRecord('/contacts/{contact_id}/deliverability', { path: { contact_id: id } }, { isEnabled: id !== '' })
  const topics = useRows(
    '/contacts/{contact_id}/topics',
    { path: { contact_id: id }, query: { limit: TOPICS_MAX } },
    { isEnabled: id !== '' },
  )
  if (!contact) return <Awaited read={{ error, refetch }} />
  const isSuppressed = standing?.reasons.some(({ reason }) => reason === 'suppressed')
  const topicNames = new Map(topics.rows.map((topic) => [topic.id, topic.name]))
  return (
    <Page
      title={contact.email}
      back={{ to: '/contacts', name: TEXTS.title }}
      state={<SubscriptionBadge unsubscribed={contact.unsubscribed} suppressed={isSuppressed} />}
      acts={<ContactActs contact={contact} />}
    >
      <Deliverability contactId={id} />
      <Grid>
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack>
            <Section
              title={TEXTS.timeline}
              acts={
                may('emails:read') && (
                  <PageLink to="/emails" search={{ to: contact.email }} size="sm">
                    {TEXTS.allEmails}
                  </PageLink>
                )
              }
            >
              <ContactTimeline contactId={id} topicNames={topicNames} />
            </Section>
            {may('events:read') && (
              <Section title={TEXTS.events}>
                <ContactEvents contactId={id} />
              </Section>
            )}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack>
            <Section title={TEXTS.details}>
              <Facts
                isNarrow
                facts={[
                  [TEXTS.firstName, contact.first_name],
                  [TEXTS.lastName, contact.last_name],
                  ...Object.entries(contact.properties).map(([key, { value }]) => [key, <bdi key={key}>{value}</bdi>] as const),
                  [TEXTS.added, <Time key="added" at={contact.created_at} />],
                  [TEXTS.id, <Copyable key="id" text={contact.id} />],
                ]}
              />
            </Section>
            <ContactSegments contactId={id} />
            <ContactTopics contact={contact} topics={topics} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}
