import { ActionIcon, Code, CopyButton, Group, Tooltip } from '@mantine/core'
import { Check, Copy } from 'lucide-react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

/** A value that goes elsewhere, with a button that copies it. */
export const Copyable = ({ text, isShort = false }: { text: string; isShort?: boolean }) => (
  <Group gap={4} wrap="nowrap" align="flex-start">
    <Code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }} title={text}>
      {isShort && text.length > SHORT ? `${text.slice(0, SHORT)}…` : text}
    </Code>
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? TEXTS.copied : TEXTS.copy}>
          <ActionIcon variant="subtle" size="sm" onClick={copy} aria-label={`${TEXTS.copy}: ${text.slice(0, SHORT)}`}>
            {copied ? <Check size={14} /> : <Copy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  </Group>
)
const SHORT = 40
