import { Badge, Group, List, SegmentedControl, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { Copyable } from '../parts/Copyable'
import { DataList, Dimmed } from '../parts/DataList'
import { Facts } from '../parts/Facts'
import { MessageFrame } from '../parts/MessageFrame'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { EMAIL_TEXTS as TEXTS } from '../texts/emails'
import { EmailActs } from './EmailActs'

type Email = RecordOf<'/emails/{email_id}'>

export default function EmailPage() {
  const id = useAddressPart('emailId')
  const { data: email, error, refetch } = useRecord('/emails/{email_id}', { path: { email_id: id } })
  const attempts = useRows('/emails/{email_id}/attempts', { path: { email_id: id } })
  if (error && !email) return <Problem error={error} onRetry={() => void refetch()} />
  if (!email) return null
  return (
    <Page
      title={email.subject || TEXTS.noSubject}
      back={{ to: '/emails', name: TEXTS.title }}
      state={<StateBadge state={email.last_event ?? 'queued'} />}
      acts={<EmailActs email={email} />}
    >
      <Section title={TEXTS.recipients}>
        <Timeline emailId={id} />
      </Section>
      <Section title={TEXTS.attempts}>
        <DataList
          label={TEXTS.attempts}
          list={attempts}
          empty={TEXTS.noAttempts}
          columns={[
            { name: TEXTS.attempt.recipient, cell: ({ recipient }) => recipient },
            { name: TEXTS.attempt.outcome, cell: ({ outcome }) => <StateBadge state={outcome ?? 'sent'} /> },
            { name: TEXTS.attempt.answer, cell: ({ code, text }) => [code, text].filter(Boolean).join(' ') },
            { name: TEXTS.attempt.host, cell: ({ host }) => <Dimmed>{host}</Dimmed>, isWide: true },
            { name: TEXTS.attempt.at, cell: ({ started_at }) => <Time at={started_at} />, isWide: true },
          ]}
        />
      </Section>
      <Section title={TEXTS.message}>
        <Message email={email} />
      </Section>
      <Attachments emailId={id} />
      <Section title={TEXTS.details}>
        <Facts
          facts={[
            [TEXTS.from, email.from],
            [TEXTS.to, email.to.join(', ')],
            [TEXTS.cc, email.cc?.join(', ')],
            [TEXTS.bcc, email.bcc?.join(', ')],
            [TEXTS.replyTo, email.reply_to?.join(', ')],
            [TEXTS.created, <Time key="created" at={email.created_at} />],
            [TEXTS.scheduled, email.scheduled_at && <Time key="scheduled" at={email.scheduled_at} />],
            [TEXTS.messageId, <Copyable key="message" text={email.message_id} />],
            [
              TEXTS.template,
              email.template_id && (
                <PageLink key="template" to={`/templates/${email.template_id}`}>
                  {email.template_id}
                </PageLink>
              ),
            ],
            [TEXTS.tags, email.tags && email.tags.length > 0 && <Tags key="tags" tags={email.tags} />],
          ]}
        />
      </Section>
    </Page>
  )
}

const Tags = ({ tags }: { tags: NonNullable<Email['tags']> }) => (
  <Group gap={4}>
    {tags.map(({ name, value }) => (
      <PageLink key={name} to="/emails" search={{ tag: `${name}:${value}` }}>
        <Badge variant="default" tt="none">
          {name}: {value}
        </Badge>
      </PageLink>
    ))}
  </Group>
)

function Timeline({ emailId }: { emailId: string }) {
  const events = useRows('/emails/{email_id}/events', { path: { email_id: emailId } })
  return (
    <DataList
      label={TEXTS.recipients}
      list={events}
      columns={[
        { name: TEXTS.state, cell: ({ type }) => <StateBadge state={type.replace('email.', '')} /> },
        {
          name: TEXTS.to,
          cell: ({ to, detail }) => [to?.join(', '), typeof detail === 'string' ? detail : null].filter(Boolean).join(': '),
        },
        { name: TEXTS.attempt.at, cell: ({ created_at }) => <Time at={created_at} /> },
      ]}
    />
  )
}

function Message({ email }: { email: Email }) {
  const forms = [
    ...(email.html ? [{ value: 'html', label: TEXTS.html }] : []),
    ...(email.text ? [{ value: 'text', label: TEXTS.text }] : []),
    ...(email.html ? [{ value: 'source', label: TEXTS.source }] : []),
  ]
  const [form, setForm] = useState<string | null>(null)
  const shown = form ?? forms[0]?.value
  if (shown === undefined) return <Text c="dimmed">{TEXTS.noContent}</Text>
  return (
    <Stack>
      <SegmentedControl data={forms} value={shown} onChange={setForm} w="fit-content" />
      {shown === 'html' ? (
        <MessageFrame html={email.html ?? ''} title={TEXTS.message} />
      ) : (
        <Text
          component="pre"
          style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
          ff={shown === 'source' ? 'monospace' : undefined}
          size="sm"
          m={0}
        >
          {shown === 'text' ? email.text : email.html}
        </Text>
      )}
    </Stack>
  )
}

function Attachments({ emailId }: { emailId: string }) {
  const { data } = useRecord('/emails/{email_id}/attachments', { path: { email_id: emailId } })
  if (!data || data.data.length === 0) return null
  return (
    <Section title={TEXTS.attachments}>
      <List>
        {data.data.map(({ id, filename, size, download_url }) => (
          <List.Item key={id}>
            <a href={download_url ?? undefined}>{filename ?? id}</a> <Dimmed>{size} B</Dimmed>
          </List.Item>
        ))}
      </List>
    </Section>
  )
}
