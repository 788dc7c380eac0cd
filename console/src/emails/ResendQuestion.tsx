import { Alert, Stack, Text } from '@mantine/core'
import { type RecordOf, useRecord, useRows } from '../api/queries'
import { useMay } from '../session/me'
import { EMAIL_TEXTS as TEXTS } from '../texts/emails'
import { type Recipient, recipientStates } from './recipient-states'

type Email = RecordOf<'/emails/{email_id}'>

/** The number that the page of the email reads. */
const READ_MAX = 100
/** If an email has more, what is wrong with the first ones is enough to think again. */
const ASKED_MAX = 10

/** Asks before an email is sent again, and names the recipients that it cannot reach, with the reason. */
export function ResendQuestion({ email }: { email: Email }) {
  const may = useMay()
  const parameters = { path: { email_id: email.id }, query: { limit: READ_MAX } }
  const events = useRows('/emails/{email_id}/events', parameters)
  const attempts = useRows('/emails/{email_id}/attempts', parameters)
  // The ones with a problem are first.
  const recipients = recipientStates(email, events.rows, attempts.rows).slice(0, ASKED_MAX)
  return (
    <Stack gap="sm">
      <Text>{TEXTS.resendQuestion}</Text>
      {recipients.map((recipient) =>
        may('contacts:read') ? (
          <Standing key={recipient.id} recipient={recipient} />
        ) : (
          recipient.state === 'bounced' && <Bounced key={recipient.id} recipient={recipient} />
        ),
      )}
    </Stack>
  )
}

/** A suppression of today counts before what became of the email then. */
function Standing({ recipient }: { recipient: Recipient }) {
  const { data } = useRecord('/contacts/{contact_id}/deliverability', { path: { contact_id: recipient.id } })
  const reason = data?.reasons.find(({ keeps_from: from }) => from === 'all_mail')
  if (reason) return <Warning address={recipient.id} title={TEXTS.suppressedNow} why={reason} />
  return data && recipient.state === 'bounced' ? <Bounced recipient={recipient} /> : null
}

const Bounced = ({ recipient: { id, explanation, advice } }: { recipient: Recipient }) => (
  <Warning address={id} title={TEXTS.bouncedThen} why={{ explanation: explanation ?? '', advice: advice ?? '' }} />
)

const Warning = ({ address, title, why }: { address: string; title: string; why: { explanation: string; advice: string } }) => (
  <Alert color="orange" title={<bdi>{address}</bdi>} role="alert">
    <Text fw={500}>{title}</Text>
    <Text>{why.explanation}</Text>
    <Text>{why.advice}</Text>
  </Alert>
)
