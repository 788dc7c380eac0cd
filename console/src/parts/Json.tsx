import { Box, Button, Code, CopyButton, Group } from '@mantine/core'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

/** A value as JSON that can be read and copied. A text is shown as it is. */
export function Json({ value, label, height = 420 }: { value: unknown; label: string; height?: number }) {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <Box pos="relative">
      <Code
        block
        tabIndex={0}
        role="group"
        aria-label={label}
        mah={height}
        style={{ overflow: 'auto', overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}
      >
        {text}
      </Code>
      <Group justify="flex-end" mt={4}>
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button size="compact-xs" variant="subtle" onClick={copy} aria-label={`${TEXTS.copy}: ${label}`}>
              {copied ? TEXTS.copied : TEXTS.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
    </Box>
  )
}
