import { Alert, Button } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { addressIn } from '../parts/addresses'
import { ConfirmButton } from '../parts/ConfirmButton'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Files } from '../parts/Files'
import { Loading } from '../parts/Loading'
import { MessageView } from '../parts/MessageView'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
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
  if (error && !email) return <Problem error={error} onRetry={() => void refetch()} />
  if (!email) return <Loading />
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
  const remove = useAct({
    run: () => answer(api.DELETE('/emails/receiving/{received_email_id}', { params: { path: { received_email_id: email.id } } })),
    done: TEXTS.deleted,
    changes: ['emails'],
    onDone: () => go('/received'),
  })
  return (
    <>
      {may('emails:send') && email.from && <Reply email={email} />}
      {email.raw && (
        <Button variant="default" component="a" href={email.raw.download_url}>
          {TEXTS.raw}
        </Button>
      )}
      {may('received-emails:write') && (
        <ConfirmButton name={TEXTS.delete} question={TEXTS.deleteQuestion} onConfirm={() => remove.mutate()} isBusy={remove.isPending} />
      )}
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
        [TEXTS.from, email.from ?? TEXTS.noSender],
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
