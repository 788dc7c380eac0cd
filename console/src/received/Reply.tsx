import { Autocomplete, Button, SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { addressList, domainIn } from '../parts/addresses'
import { useDialogForm } from '../parts/dialog-form'
import { FormDialog } from '../parts/FormDialog'
import { dateOf } from '../parts/Time'
import { useGo } from '../shell/address'
import { RECEIVED_TEXTS as TEXTS } from '../texts/received'

type Received = RecordOf<'/emails/receiving/{received_email_id}'>

type Values = { from: string; to: string; subject: string; form: string; body: string }

const DOMAINS_MAX = 100
/** Mail programs show threads by the last ids. More would be folded into a header that servers refuse. */
const REFERENCES_MAX = 20
const AT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' })

/** Answers in the thread: mail programs show the reply below what it answers. */
export function Reply({ email }: { email: Received }) {
  const go = useGo()
  const { data: domains } = useRecord('/domains', { query: { limit: DOMAINS_MAX } })
  const verified = (domains?.data ?? []).filter(({ status, capabilities }) => status === 'verified' && capabilities.sending === 'enabled')
  const own = email.received_for.filter((address) => verified.some(({ name }) => name === domainIn(address)))
  const senders = [...new Set([...own, ...verified.map(({ name }) => `hello@${name}`)])]
  const send = useDialogForm({
    initialValues: {
      from: email.received_for[0] ?? '',
      to: (email.reply_to.length > 0 ? email.reply_to : [email.from ?? '']).join(', '),
      subject: replySubject(email.subject ?? ''),
      form: 'text',
      body: '',
    },
    keepsTyped: true,
    run: ({ from, to, subject, form: written, body }: Values) =>
      answer(
        api.POST('/emails', {
          body: {
            from,
            to: addressList(to),
            subject,
            ...(written === 'html' ? { html: body } : { text: `${body}\n\n${quoted(email)}` }),
            headers: threadHeaders(email),
          },
        }),
      ),
    done: TEXTS.replied,
    changes: ['emails'],
    onDone: ({ id }) => go(`/emails/${id}`),
  })
  return (
    <>
      <Button onClick={send.open}>{TEXTS.reply}</Button>
      <FormDialog title={TEXTS.reply} size="lg" {...send.dialog} act={TEXTS.replyAct}>
        <Autocomplete
          label={TEXTS.replyFrom}
          description={TEXTS.replyFromHint}
          required
          data={senders}
          {...send.form.getInputProps('from')}
        />
        <TextInput label={TEXTS.replyRecipient} required {...send.form.getInputProps('to')} />
        <TextInput label={TEXTS.subject} {...send.form.getInputProps('subject')} />
        <SegmentedControl
          aria-label={TEXTS.form}
          data={[
            { value: 'text', label: TEXTS.replyText },
            { value: 'html', label: TEXTS.replyHtml },
          ]}
          w="fit-content"
          {...send.form.getInputProps('form')}
        />
        <Textarea
          label={TEXTS.message}
          description={send.form.values.form === 'text' && email.text !== null ? TEXTS.replyQuotes : TEXTS.replyNoQuote}
          required
          autosize
          minRows={8}
          maxRows={18}
          data-autofocus
          ff={send.form.values.form === 'html' ? 'monospace' : undefined}
          {...send.form.getInputProps('body')}
        />
      </FormDialog>
    </>
  )
}

const replySubject = (subject: string): string => (/^re:/i.test(subject) ? subject : `Re: ${subject}`.trim())

/** RFC 5322, section 3.6.4. */
function threadHeaders({ message_id: id, headers }: Received): Record<string, string> {
  if (id === null) return {}
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === 'references')?.[1]
  const before = typeof named === 'string' ? named.split(/\s+/).filter(Boolean) : []
  return { 'In-Reply-To': id, References: [...before, id].slice(-REFERENCES_MAX).join(' ') }
}

const quoted = ({ text, from, created_at: at }: Received): string =>
  text === null
    ? ''
    : [
        TEXTS.quote(from ?? '', AT.format(dateOf(at))),
        ...text
          .trimEnd()
          .split('\n')
          .map((line) => `> ${line}`),
      ].join('\n')
