import { Button, Center, Group, Text, ThemeIcon, Timeline } from '@mantine/core'
import { Bot, Mail, MailX, MousePointerClick, Pencil, Zap } from 'lucide-react'
import type { ReactNode } from 'react'
import { type RowOf, useRows } from '../api/queries'
import { Dimmed } from '../parts/DataList'
import { NotLoaded } from '../parts/ErrorAlert'
import { Loading } from '../parts/Loading'
import { PageLink } from '../parts/PageLink'
import { StateBadge } from '../parts/StateBadge'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { CONTACT_TEXTS } from '../texts/contacts'
import { SHELL_TEXTS } from '../texts/shell'

const TEXTS = CONTACT_TEXTS.entries

type Entry = RowOf<'/contacts/{contact_id}/timeline'>

/** What a person got and did, newest first. */
export function ContactTimeline({ contactId, topicNames }: { contactId: string; topicNames: ReadonlyMap<string, string> }) {
  const may = useMay()
  const list = useRows('/contacts/{contact_id}/timeline', { path: { contact_id: contactId } })
  if (list.error && list.rows.length === 0) return <NotLoaded error={list.error} onRetry={list.retry} />
  if (list.isLoading) return <Loading label={CONTACT_TEXTS.timeline} />
  const hidden = !may('emails:read') && <Text c="dimmed">{CONTACT_TEXTS.noEmailsShown}</Text>
  if (list.rows.length === 0) return hidden || <Text c="dimmed">{CONTACT_TEXTS.timelineEmpty}</Text>
  return (
    <>
      {hidden}
      <Timeline bulletSize={26} lineWidth={2} aria-label={CONTACT_TEXTS.timeline}>
        {toldOnce(list.rows).map((entry) => (
          <Timeline.Item key={entry.id} bullet={bulletOf(entry)} title={<EntryTitle entry={entry} topicNames={topicNames} />}>
            <Group gap="sm">
              <Dimmed>
                <Time at={entry.created_at} />
              </Dimmed>
              <EntryDetail entry={entry} />
            </Group>
          </Timeline.Item>
        ))}
      </Timeline>
      {list.hasMore && (
        <Center>
          <Button variant="default" onClick={list.loadMore} loading={list.isLoadingMore}>
            {SHELL_TEXTS.more}
          </Button>
        </Center>
      )}
    </>
  )
}

/** Mail that never left has two entries of about the same time: that it was to be sent, and why it was not. The second one tells both. */
function toldOnce(entries: readonly Entry[]): Entry[] {
  const mails = new Map(entries.filter(({ type }) => type === 'email').map((mail) => [mail.email_id, mail]))
  const unsent = new Set(entries.filter(isUnsent).map(({ email_id: id }) => id))
  return entries
    .filter(({ type, email_id: id }) => type !== 'email' || !unsent.has(id))
    .map((entry) => {
      const mail = isUnsent(entry) ? mails.get(entry.email_id) : undefined
      return mail ? { ...entry, subject: mail.subject, last_event: mail.last_event } : entry
    })
}

const isUnsent = ({ type }: Entry): boolean => type === 'email.suppressed' || type === 'email.failed'

const FAILED = new Set(['email.bounced', 'email.complained', 'email.suppressed', 'email.failed'])

function bulletOf({ type }: Entry): ReactNode {
  const [Icon, color] = iconOf(type)
  return (
    <ThemeIcon size={22} radius="xl" variant="light" color={color}>
      <Icon size={13} />
    </ThemeIcon>
  )
}

function iconOf(type: string): [typeof Mail, string] {
  if (FAILED.has(type)) return [MailX, 'red']
  if (type === 'email') return [Mail, 'indigo']
  if (type.startsWith('email.')) return [MousePointerClick, 'green']
  if (type === 'event') return [Zap, 'grape']
  return type === 'automation_run' ? [Bot, 'teal'] : [Pencil, 'gray']
}

function EntryTitle({ entry, topicNames }: { entry: Entry; topicNames: ReadonlyMap<string, string> }) {
  const { type, email_id, subject, last_event, event, automation_id, automation_name, run_id, run_status } = entry
  // Only an email has a subject, and the entry that tells of it.
  if (type === 'email' || subject !== null)
    return (
      <Group gap="xs" component="span">
        <PageLink to={`/emails/${email_id}`}>
          <bdi>{subject || TEXTS.noSubject}</bdi>
        </PageLink>
        {last_event !== null && <StateBadge state={last_event} />}
      </Group>
    )
  if (type === 'event')
    return (
      <>
        {TEXTS.event} <bdi>{event}</bdi>
      </>
    )
  if (type === 'automation_run')
    return (
      <Group gap="xs" component="span">
        <span>
          {TEXTS.run} <PageLink to={`/automations/${automation_id}/runs/${run_id}`}>{automation_name}</PageLink>
        </span>
        {run_status !== null && <StateBadge state={run_status} />}
      </Group>
    )
  return CONTACT_TEXTS.acts[type] ?? changeOf(entry, topicNames)
}

function changeOf({ type, unsubscribed, topics }: Entry, names: ReadonlyMap<string, string>): string {
  if (type === 'contact.created') return unsubscribed ? TEXTS.createdUnsubscribed : TEXTS.created
  if (type === 'contact.updated') return unsubscribed ? TEXTS.changedUnsubscribed : TEXTS.changed
  if (type !== 'contact.topics.updated') return type
  return (topics ?? [])
    .map(({ id, subscription }) => (subscription === 'opt_in' ? TEXTS.optedIn : TEXTS.optedOut)(names.get(id) ?? TEXTS.goneTopic))
    .join(', ')
}

/** The link that was followed, or why it did not arrive; and the way to the email that it is about. */
function EntryDetail({ entry: { type, email_id, subject, detail, explanation } }: { entry: Entry }) {
  if (type === 'email' || email_id === null) return null
  const words = explanation ?? wordsIn(detail)
  if (subject !== null) return <Dimmed>{words ?? CONTACT_TEXTS.acts[type]}</Dimmed>
  return (
    <>
      {words !== null && <Dimmed>{words}</Dimmed>}
      <PageLink onlyLeads to={`/emails/${email_id}`} size="sm">
        {TEXTS.seeEmail}
      </PageLink>
    </>
  )
}

function wordsIn(detail: Entry['detail']): string | null {
  for (const value of Object.values(detail ?? {})) {
    if (typeof value !== 'object' || value === null) continue
    const { link, message, reason } = value as Record<string, unknown>
    for (const words of [link, message, reason]) if (typeof words === 'string') return words
  }
  return null
}
