import { Code, Group, SegmentedControl, Stack, Table, Text } from '@mantine/core'
import { useState } from 'react'
import { MESSAGE_TEXTS as TEXTS } from '../texts/message'
import { MessageFrame } from './MessageFrame'

type MessageViewProps = {
  html: string | null | undefined
  text: string | null | undefined
  title: string
  headers?: Readonly<Record<string, unknown>>
  emailId?: string
  receivedEmailId?: string
}

type Form = 'html' | 'text' | 'source' | 'headers'
const PHONE = 375
/** More than anyone reads. */
const SHOWN_MAX = 256 * 1024

/** The content of a mail: as it looks, on a desktop or a phone, as text, and its source. */
export function MessageView({ html, text, title, headers = {}, ...ids }: MessageViewProps) {
  const [chosen, setChosen] = useState<Form | null>(null)
  const [isPhone, setPhone] = useState(false)
  const forms: Form[] = [
    ...(html ? ['html' as const] : []),
    ...(text ? ['text' as const] : []),
    ...(html ? ['source' as const] : []),
    ...(Object.keys(headers).length > 0 ? ['headers' as const] : []),
  ]
  const shown = chosen ?? forms[0]
  if (shown === undefined) return <Text c="dimmed">{TEXTS.noContent}</Text>
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
      {shown === 'source' && <Words text={html ?? ''} isCode />}
      {shown === 'headers' && <Headers headers={headers} />}
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

const Headers = ({ headers }: { headers: Readonly<Record<string, unknown>> }) => (
  <Table variant="vertical" layout="fixed" highlightOnHover={false}>
    <Table.Tbody>
      {Object.entries(headers).map(([name, value]) => (
        <Table.Tr key={name}>
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
