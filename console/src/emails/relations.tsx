// What an email has to do with other records, as facts with links. What the role may not read is not in the answer.
import { Group, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { type RecordOf, useRecord } from '../api/queries'
import { Dimmed } from '../parts/DataList'
import { PageLink } from '../parts/PageLink'
import { useMay } from '../session/me'
import { EMAIL_TEXTS } from '../texts/emails'

const TEXTS = EMAIL_TEXTS.relations

export type EmailRelations = RecordOf<'/emails/{email_id}/relations'>

export const useRelations = (emailId: string): EmailRelations | undefined =>
  useRecord('/emails/{email_id}/relations', { path: { email_id: emailId } }).data

export const relationFacts = (relations: EmailRelations): (readonly [name: string, value: ReactNode])[] => {
  const { sent_by: sender, broadcast, template, answered, replies, contacts } = relations
  return [
    [TEXTS.sentBy, sender && <Sender key="sender" relations={relations} />],
    [TEXTS.broadcast, broadcast && <Broadcast key="broadcast" broadcast={broadcast} />],
    [TEXTS.template, template && <Named key="template" to={`/templates/${template.id}`} name={template.name} />],
    [TEXTS.answers, answered && <Named key="answers" to={`/received/${answered.id}`} name={answered.from ?? TEXTS.noSender} />],
    [
      TEXTS.answeredBy,
      replies.length > 0 && (
        <Links key="replies" links={replies.map(({ id, from }) => ({ to: `/received/${id}`, name: from ?? TEXTS.noSender }))} />
      ),
    ],
    [
      contacts.length === 1 ? TEXTS.contact : TEXTS.contacts,
      contacts.length > 0 && <Links key="contacts" links={contacts.map(({ id, email }) => ({ to: `/contacts/${id}`, name: email }))} />,
    ],
  ]
}

function Sender({ relations: { sent_by: sender, is_submitted: isSubmitted, automation_run: run } }: { relations: EmailRelations }) {
  if (sender === null) return null
  const how = isSubmitted && <Dimmed>{TEXTS.submitted}</Dimmed>
  if (sender.type === 'automation')
    return run === null ? (
      TEXTS.automation
    ) : (
      <Group gap="xs">
        <Named to={`/automations/${run.automation_id}`} name={run.automation_name} />
        <PageLink to={`/automations/${run.automation_id}/runs/${run.id}`}>{TEXTS.run}</PageLink>
      </Group>
    )
  const name = sender.name || TEXTS.unnamed(sender.id ?? '')
  const words = {
    api_key: (
      <>
        {TEXTS.key} <Named to="/api-keys" name={name} />
      </>
    ),
    oauth_grant: (
      <>
        {TEXTS.program} <Named to="/grants" name={name} />
      </>
    ),
    person: <bdi>{name}</bdi>,
    deleted: TEXTS.deleted,
    hidden: TEXTS.hidden,
  }[sender.type]
  return (
    <Text inherit component="span">
      {words} {how}
    </Text>
  )
}

function Broadcast({ broadcast: { id, name } }: { broadcast: NonNullable<EmailRelations['broadcast']> }) {
  const may = useMay()
  return (
    <Group gap="xs">
      {may('broadcasts:read') ? <Named to={`/broadcasts/${id}`} name={name} /> : <bdi>{name}</bdi>}
      <PageLink to="/emails" search={{ broadcast_id: id }}>
        {TEXTS.itsEmails}
      </PageLink>
    </Group>
  )
}

const Named = ({ to, name }: { to: string; name: string }) => (
  <PageLink to={to}>
    <bdi>{name}</bdi>
  </PageLink>
)

/** More than anyone reads here. */
const LINKS_MAX = 5

const Links = ({ links }: { links: readonly { to: string; name: string }[] }) => (
  <Stack gap={2} align="flex-start">
    {links.slice(0, LINKS_MAX).map(({ to, name }) => (
      <Named key={to} to={to} name={name} />
    ))}
    {links.length > LINKS_MAX && <Dimmed>{EMAIL_TEXTS.others(links.length - LINKS_MAX)}</Dimmed>}
  </Stack>
)
