import { Box, Center, SegmentedControl, Stack, Text } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useState } from 'react'
import { MessageFrame } from '../parts/MessageFrame'
import { CONTENT_EDITOR_TEXTS as TEXTS } from '../texts/content'

const VIEWS = ['desktop', 'phone', 'dark', 'plain'] as const
type View = (typeof VIEWS)[number]

const TYPING_MS = 600
const HEIGHT = 520
const PHONE_WIDTH = 375
/** Most mail is made for 600 pixels, and a program on a desktop has room for that. */
const DESKTOP_WIDTH_MIN = 660
/** What programs do that turn a light message dark: pictures would be turned as well, which theirs leave. */
const TURNED_DARK = 'invert(0.92) hue-rotate(180deg)'

/** What is written, as mail programs show it. */
export function ContentPreview({ html, text }: { html: string; text: string }) {
  const [view, setView] = useState<View>('desktop')
  const [shown] = useDebouncedValue(html, TYPING_MS)
  return (
    <Stack gap="xs">
      <SegmentedControl
        aria-label={TEXTS.previews}
        size="xs"
        data={VIEWS.map((value) => ({ value, label: TEXTS[value] }))}
        value={view}
        onChange={(value) => setView(value as View)}
      />
      {view === 'plain' ? (
        <Box component="pre" m={0} mih={HEIGHT} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', fontSize: 13 }} dir="auto">
          {text.trim() === '' ? TEXTS.noText : withFallbacks(text)}
        </Box>
      ) : shown.trim() === '' ? (
        <Center h={HEIGHT} c="dimmed" bd="1px dashed var(--mantine-color-default-border)">
          {TEXTS.empty}
        </Center>
      ) : (
        <Box style={view === 'dark' ? { filter: TURNED_DARK } : undefined}>
          <MessageFrame
            html={withFallbacks(shown)}
            title={TEXTS.preview}
            height={HEIGHT}
            {...(view === 'phone' ? { width: PHONE_WIDTH } : { layoutWidth: DESKTOP_WIDTH_MIN })}
          />
        </Box>
      )}
      {(view === 'dark' || html !== withFallbacks(html)) && (
        <Text size="sm" c="dimmed">
          {view === 'dark' ? TEXTS.darkHint : TEXTS.fallbacks}
        </Text>
      )}
    </Stack>
  )
}

/** The text for contacts of whom nothing is known. A placeholder without a fallback stands as it is written. */
const withFallbacks = (text: string): string => text.replaceAll(/\{\{\{[^{}|]{1,200}\|([^{}]*)\}\}\}/g, '$1')
