import { Badge, Grid, Group, Stack } from '@mantine/core'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DownloadButton } from '../parts/DownloadButton'
import { Facts } from '../parts/Facts'
import { Files } from '../parts/Files'
import { MessageView } from '../parts/MessageView'
import { TopicName } from '../parts/names'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { dateOf, Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart } from '../shell/address'
import { EMAIL_TEXTS as TEXTS } from '../texts/emails'
import { EmailActs } from './EmailActs'
import { Outcome } from './Outcome'
import { type EmailRelations, relationFacts, useRelations } from './relations'
import { WebhookEvents } from './WebhookEvents'

type Email = RecordOf<'/emails/{email_id}'>

const EVERY_MS = 3_000
const MOVING: ReadonlySet<string> = new Set(['queued', 'sent'])

export default function EmailPage() {
  const id = useAddressPart('emailId')
  const may = useMay()
  const {
    data: email,
    error,
    refetch,
  } = useRecord(
    '/emails/{email_id}',
    { path: { email_id: id } },
    { everyMs: ({ last_event: last }) => (MOVING.has(last ?? '') ? EVERY_MS : null) },
  )
  const relations = useRelations(id)
  if (!email) return <Awaited read={{ error, refetch }} />
  return (
    <Page
      title={email.subject || TEXTS.noSubject}
      back={{ to: '/emails', name: TEXTS.title }}
      state={<StateBadge state={email.last_event ?? 'queued'} />}
      acts={<EmailActs email={email} />}
    >
      <Grid>
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack>
            <Outcome key={email.id} email={email}>
              <Section
                title={TEXTS.message}
                acts={
                  may('contacts:subscriptions') && (
                    <DownloadButton name={TEXTS.raw} path={`/emails/${email.id}/source?format=eml`} size="xs" variant="subtle" />
                  )
                }
              >
                <MessageView html={email.html} text={email.text} title={TEXTS.message} emailId={email.id} />
              </Section>
              <Attachments emailId={id} />
            </Outcome>
            {relations && <WebhookEvents events={relations.webhook_events} />}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack>
            <Section title={TEXTS.details}>
              <Details email={email} relations={relations} />
            </Section>
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  )
}

function Details({ email, relations }: { email: Email; relations: EmailRelations | undefined }) {
  const may = useMay()
  return (
    <Facts
      isNarrow
      facts={[
        [TEXTS.from, email.from],
        [TEXTS.to, email.to.join(', ')],
        [TEXTS.cc, email.cc?.join(', ')],
        [TEXTS.bcc, email.bcc?.join(', ')],
        [TEXTS.replyTo, email.reply_to?.join(', ')],
        [TEXTS.created, <Time key="created" at={email.created_at} />],
        [TEXTS.scheduled, email.scheduled_at && <Time key="scheduled" at={email.scheduled_at} />],
        ...(relations ? relationFacts(relations) : []),
        [
          TEXTS.topic,
          email.topic_id && may('topics:read') && (
            <PageLink key="topic" to={`/topics/${email.topic_id}`}>
              <TopicName id={email.topic_id} />
            </PageLink>
          ),
        ],
        [TEXTS.tags, email.tags && email.tags.length > 0 && <Tags key="tags" tags={email.tags} />],
        [TEXTS.requests, may('logs:read') && <Requests key="requests" email={email} relations={relations} />],
        [TEXTS.messageId, <Copyable key="message" text={email.message_id} />],
        [TEXTS.id, <Copyable key="id" text={email.id} />],
      ]}
    />
  )
}

const MINUTE_MS = 60_000
const BY_API = { path: '/emails', method: 'POST' }
const BY_SMTP = { path: '/submission', method: 'SMTP' }

/**
 * Requests that name the email, and those of the minute in which it was accepted: the one that sent it says its id only in the answer. Broadcasts and
 * automations send by none.
 */
function Requests({ email: { id, created_at: createdAt }, relations }: { email: Email; relations: EmailRelations | undefined }) {
  const sent = relations?.is_submitted ? BY_SMTP : BY_API
  const isOfRequest = !relations?.broadcast && relations?.sent_by?.type !== 'automation'
  const at = dateOf(createdAt).getTime()
  const around = { start_date: new Date(at - MINUTE_MS).toISOString(), end_date: new Date(at + MINUTE_MS).toISOString() }
  return (
    <Group gap="md">
      {isOfRequest && (
        <PageLink to="/logs" search={{ ...sent, ...around }}>
          {TEXTS.whenAccepted}
        </PageLink>
      )}
      <PageLink to="/logs" search={{ path: `/emails/${id}` }}>
        {TEXTS.aboutIt}
      </PageLink>
    </Group>
  )
}

const Tags = ({ tags }: { tags: NonNullable<Email['tags']> }) => (
  <Group gap={4}>
    {tags.map(({ name, value }) => (
      <PageLink key={name} to="/emails" search={{ tag: `${name}:${value}` }}>
        <Badge variant="default">
          {name}: {value}
        </Badge>
      </PageLink>
    ))}
  </Group>
)

function Attachments({ emailId }: { emailId: string }) {
  const { data } = useRecord('/emails/{email_id}/attachments', { path: { email_id: emailId } })
  if (!data || data.data.length === 0) return null
  return (
    <Section title={TEXTS.attachments}>
      <Files files={data.data} />
    </Section>
  )
}
