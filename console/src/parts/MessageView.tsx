import { Code, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { useRecord } from '../api/queries'
import { MESSAGE_TEXTS as TEXTS } from '../texts/message'
import { Awaited } from './Awaited'
import { MessageFrame } from './MessageFrame'

type MessageViewProps = {
  html: string | null | undefined
  text: string | null | undefined
  title: string
  /** The HTML as it was written, where another is shown. */
  source?: string
  /** What is said in place of a message that has nothing. */
  empty?: string
  headers?: Readonly<Record<string, unknown>>
  emailId?: string
  receivedEmailId?: string
}

type Form = 'html' | 'text' | 'source' | 'headers'
const PHONE = 375
/** More than anyone reads. */
const SHOWN_MAX = 256 * 1024

/** The content of a mail: as it looks, on a desktop or a phone, as text, and its source. */
export function MessageView({ html, text, title, source, empty = TEXTS.noContent, headers = {}, ...ids }: MessageViewProps) {
  const [chosen, setChosen] = useState<Form | null>(null)
  const [isPhone, setPhone] = useState(false)
  const forms: Form[] = [
    ...(html ? ['html' as const] : []),
    ...(text ? ['text' as const] : []),
    ...(html || ids.emailId !== undefined ? ['source' as const] : []),
    ...(Object.keys(headers).length > 0 || ids.emailId !== undefined ? ['headers' as const] : []),
  ]
  const shown = chosen ?? forms[0]
  if (shown === undefined) return <Text c="dimmed">{empty}</Text>
  return (
    <Stack>
      <Group justify="space-between">
        <SegmentedControl
          data={forms.map((value) => ({ value, label: TEXTS[value] }))}
          value={shown}
          onChange={(value) => setChosen(value as Form)}
          aria-label={TEXTS.views}
        />
        {shown === 'html' && (
          <SegmentedControl
            data={[
              { value: 'desktop', label: TEXTS.desktop },
              { value: 'phone', label: TEXTS.phone },
            ]}
            value={isPhone ? 'phone' : 'desktop'}
            onChange={(value) => setPhone(value === 'phone')}
            aria-label={TEXTS.widths}
            visibleFrom="sm"
          />
        )}
      </Group>
      {shown === 'html' && <MessageFrame html={html ?? ''} title={title} {...(isPhone && { width: PHONE, height: 640 })} {...ids} />}
      {shown === 'text' && <Words text={text ?? ''} />}
      {shown === 'source' && ids.emailId === undefined && <Words text={source ?? html ?? ''} isCode />}
      {shown === 'headers' && ids.emailId === undefined && <Headers headers={Object.entries(headers)} />}
      {(shown === 'source' || shown === 'headers') && ids.emailId !== undefined && <SentMessage emailId={ids.emailId} form={shown} />}
    </Stack>
  )
}

function Words({ text, isCode = false }: { text: string; isCode?: boolean }) {
  return (
    <>
      <Text
        component="pre"
        dir="auto"
        tabIndex={0}
        role="region"
        aria-label={isCode ? TEXTS.source : TEXTS.text}
        style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', overflow: 'auto' }}
        ff={isCode ? 'monospace' : undefined}
        size="sm"
        mah={640}
        m={0}
      >
        {text.slice(0, SHOWN_MAX)}
      </Text>
      {text.length > SHOWN_MAX && (
        <Text size="sm" c="dimmed">
          {TEXTS.isCut}
        </Text>
      )}
    </>
  )
}

/** As it is sent, which is made only when someone looks at it. */
function SentMessage({ emailId, form }: { emailId: string; form: 'source' | 'headers' }) {
  const { data, error, refetch } = useRecord('/emails/{email_id}/source', { path: { email_id: emailId } })
  if (!data) return <Awaited read={{ error, refetch }} />
  if (form === 'headers') return <Headers headers={headersIn(data.text)} />
  return (
    <>
      <Words text={data.text} isCode />
      {data.is_cut && (
        <Text size="sm" c="dimmed">
          {TEXTS.isCut}
        </Text>
      )}
    </>
  )
}

/** A line that begins with a blank continues the one before (RFC 5322, section 2.2.3). */
const headersIn = (message: string): [string, string][] =>
  (message.split('\r\n\r\n', 1)[0] ?? '')
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .split('\r\n')
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()])

const Headers = ({ headers }: { headers: readonly (readonly [string, unknown])[] }) => (
  <Table variant="vertical" layout="fixed" highlightOnHover={false}>
    <Table.Tbody>
      {headers.map(([name, value], place) => (
        // A header may be there several times, and never moves.
        // biome-ignore lint/suspicious/noArrayIndexKey: see above
        <Table.Tr key={place}>
          <Table.Th w={{ base: 110, sm: 220 }} scope="row" style={{ overflowWrap: 'anywhere' }}>
            {name}
          </Table.Th>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>
            <Code>{String(value)}</Code>
          </Table.Td>
        </Table.Tr>
      ))}
    </Table.Tbody>
  </Table>
)
