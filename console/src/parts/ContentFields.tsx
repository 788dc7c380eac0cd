import { Center, Grid, Stack, Tabs, Text, Textarea } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import type { ChangeEvent, ReactNode } from 'react'
import { CONTENT_TEXTS as TEXTS } from '../texts/message'
import { MessageFrame } from './MessageFrame'

type FieldProps = { value?: string; onChange: (event: ChangeEvent<HTMLTextAreaElement>) => void; error?: ReactNode }

type ContentFieldsProps = {
  /** As it is typed. */
  html: string
  htmlField: FieldProps
  textField: FieldProps
  htmlHint?: string
  /** What stands for the preview of what is typed. */
  preview?: ReactNode
}

const TYPING_MS = 600
const ROWS = 22
const HEIGHT = 520

/** HTML with what it looks like beside it, and text. */
export function ContentFields({ html, htmlField, textField, htmlHint, preview }: ContentFieldsProps) {
  return (
    <Tabs defaultValue="html" keepMounted>
      <Tabs.List mb="sm">
        <Tabs.Tab value="html">{TEXTS.html}</Tabs.Tab>
        <Tabs.Tab value="text">{TEXTS.text}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="html">
        <Grid>
          <Grid.Col span={{ base: 12, lg: 6 }}>
            <Textarea
              label={TEXTS.html}
              description={htmlHint}
              rows={ROWS}
              styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
              spellCheck={false}
              dir="auto"
              {...htmlField}
            />
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 6 }}>{preview ?? <TypedPreview html={html} />}</Grid.Col>
        </Grid>
      </Tabs.Panel>
      <Tabs.Panel value="text">
        <Textarea label={TEXTS.text} description={TEXTS.textHint} rows={ROWS} dir="auto" {...textField} />
      </Tabs.Panel>
    </Tabs>
  )
}

function TypedPreview({ html }: { html: string }) {
  const [shown] = useDebouncedValue(html, TYPING_MS)
  return (
    <Stack gap={4}>
      <Text size="sm" fw={500}>
        {TEXTS.preview}
      </Text>
      {shown.trim() === '' ? (
        <Center h={HEIGHT} c="dimmed" bd="1px dashed var(--mantine-color-default-border)">
          {TEXTS.previewEmpty}
        </Center>
      ) : (
        <MessageFrame html={shown} title={TEXTS.preview} height={HEIGHT} />
      )}
    </Stack>
  )
}
