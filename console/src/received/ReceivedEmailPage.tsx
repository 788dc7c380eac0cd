import { Alert, Button } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Mailbox } from '../parts/Address'
import { Awaited } from '../parts/Awaited'
import { addressIn } from '../parts/addresses'
import { ConfirmDialog } from '../parts/ConfirmDialog'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Files } from '../parts/Files'
import { MessageView } from '../parts/MessageView'
import { MoreMenu } from '../parts/MoreMenu'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { RECEIVED_TEXTS as TEXTS } from '../texts/received'
import { Reply } from './Reply'
import { verdictFacts } from './Verdicts'

type Received = RecordOf<'/emails/receiving/{received_email_id}'>

export default function ReceivedEmailPage() {
  const id = useAddressPart('receivedId')
  // Images in it are shown by their content ids.
  const {
    data: email,
    error,
    refetch,
  } = useRecord('/emails/receiving/{received_email_id}', {
    path: { received_email_id: id },
    query: { html_format: 'cid' },
  })
  if (!email) return <Awaited read={{ error, refetch }} />
  return (
    <Page title={email.subject || TEXTS.noSubject} back={{ to: '/received', name: TEXTS.title }} acts={<Acts email={email} />}>
      {email.problem !== null && <Alert color="orange">{email.problem}</Alert>}
      <Section title={TEXTS.message}>
        <MessageView html={email.html} text={email.text} title={TEXTS.message} headers={email.headers} receivedEmailId={email.id} />
      </Section>
      <Attachments email={email} />
      <Section title={TEXTS.details}>
        <Details email={email} />
      </Section>
    </Page>
  )
}

function Acts({ email }: { email: Received }) {
  const may = useMay()
  const go = useGo()
  const [isAsked, question] = useDisclosure()
  const remove = useAct({
    run: () => answer(api.DELETE('/emails/receiving/{received_email_id}', { params: { path: { received_email_id: email.id } } })),
    done: TEXTS.deleted,
    changes: ['emails'],
    onDone: () => go('/received'),
  })
  return (
    <>
      {email.raw && (
        <Button variant="default" component="a" href={email.raw.download_url}>
          {TEXTS.raw}
        </Button>
      )}
      {may('received-emails:write') && (
        <MoreMenu acts={[{ name: TEXTS.delete, onClick: question.open, isDestructive: true }]} isBusy={remove.isPending} />
      )}
      {may('emails:send') && email.from && <Reply email={email} />}
      <ConfirmDialog
        title={TEXTS.delete}
        question={TEXTS.deleteQuestion}
        isOpen={isAsked}
        onClose={question.close}
        onConfirm={() => remove.mutate()}
      />
    </>
  )
}

function Attachments({ email }: { email: Received }) {
  const { data } = useRecord(
    '/emails/receiving/{received_email_id}/attachments',
    { path: { received_email_id: email.id } },
    { isEnabled: email.attachments.length > 0 },
  )
  if (!data || data.data.length === 0) return null
  return (
    <Section title={TEXTS.attachments}>
      <Files files={data.data} />
    </Section>
  )
}

function Details({ email }: { email: Received }) {
  const may = useMay()
  const address = email.from ? addressIn(email.from) : ''
  return (
    <Facts
      facts={[
        [TEXTS.from, email.from ? <Mailbox key="from" of={email.from} /> : TEXTS.noSender],
        [TEXTS.to, email.to.join(', ')],
        [TEXTS.cc, email.cc.join(', ')],
        [TEXTS.replyTo, email.reply_to.join(', ')],
        [TEXTS.deliveredTo, email.received_for.join(', ')],
        [TEXTS.received, <Time key="received" at={email.created_at} />],
        [
          TEXTS.contact,
          address !== '' && may('contacts:read') && (
            <PageLink key="contact" to="/contacts" search={{ search: address }}>
              {TEXTS.seeContact}
            </PageLink>
          ),
        ],
        [
          TEXTS.answers,
          email.in_reply_to_email_id && (
            <PageLink key="answers" to={`/emails/${email.in_reply_to_email_id}`}>
              {TEXTS.anEmail}
            </PageLink>
          ),
        ],
        [
          TEXTS.returned,
          email.sent_email_id && (
            <PageLink key="returned" to={`/emails/${email.sent_email_id}`}>
              {TEXTS.cameBack}
            </PageLink>
          ),
        ],
        [TEXTS.automatic, email.is_auto_reply && TEXTS.byProgram],
        ...verdictFacts(email),
        [TEXTS.messageId, email.message_id && <Copyable key="message" text={email.message_id} />],
        [TEXTS.id, <Copyable key="id" text={email.id} />],
      ]}
    />
  )
}
