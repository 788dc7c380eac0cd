import { Alert, Button, Grid, Group, Stack, Tabs, Text, Textarea } from '@mantine/core'
import { lazy, type ReactNode, Suspense, useRef, useState } from 'react'
import { Loading } from '../parts/Loading'
import { CONTENT_EDITOR_TEXTS as TEXTS } from '../texts/content'
import type { BlocksFrom } from './BlockEditor'
import { ContentPreview } from './ContentPreview'
import type { Content, ContentState, InsertText } from './content'
import { VariableMenu } from './VariableMenu'

const BlockEditor = lazy(() => import('./BlockEditor'))
const HtmlEditor = lazy(() => import('./HtmlEditor'))

const TEXT_ROWS = 22

type ContentEditorProps = {
  state: ContentState
  /** The names that a template declares. */
  variables?: readonly string[]
  /** What new blocks begin with. */
  start: 'empty' | 'broadcast'
  htmlHint?: string
  /** Whether it is saved, beside where one writes. */
  saved?: ReactNode
}

/** Blocks, or HTML of one's own, with what it looks like beside it. */
export function ContentEditor({ state, variables = [], start, htmlHint, saved }: ContentEditorProps) {
  const { content, onChange, reader } = state
  const isNew = content.html.trim() === '' && content.document === null
  const [way, setWay] = useState<string | null>(content.document !== null || isNew ? 'blocks' : 'html')
  // What the blocks were made of stays the same object, so that the editor is not made anew while someone writes.
  const [blocksFrom, setBlocksFrom] = useState<BlocksFrom | null>(
    content.document !== null ? { document: content.document } : isNew ? { start } : null,
  )
  /** What was copied into blocks, as it was. */
  const [copied, setCopied] = useState<Content | null>(null)
  /** One for each editor that is open: the blocks stay open while the HTML is shown. */
  const inserters = useRef<Partial<Record<'blocks' | 'html', InsertText>>>({})
  const areBlocks = blocksFrom !== null
  const isHtmlOfBlocks = areBlocks && !isNew && content.document !== null
  /** The editor that one sees. A variable goes there, and nowhere else. */
  const open = way === 'blocks' && areBlocks ? 'blocks' : way === 'html' && !isHtmlOfBlocks ? 'html' : null

  const copyToBlocks = () => {
    setCopied(content)
    setBlocksFrom({ html: content.html })
  }
  const backToHtml = (before: Content) => {
    reader.current = null
    setBlocksFrom(null)
    setCopied(null)
    onChange(before)
  }

  /** From here the HTML is what is sent, and the blocks are no longer. */
  const changeHtml = () => {
    reader.current = null
    setBlocksFrom(null)
    onChange({ ...content, document: null })
  }

  return (
    <Stack gap="sm">
      <Tabs value={way} onChange={setWay} keepMounted={false}>
        <Group justify="space-between" align="flex-end" mb="sm">
          <Tabs.List aria-label={TEXTS.ways}>
            <Tabs.Tab value="blocks">{TEXTS.blocks}</Tabs.Tab>
            <Tabs.Tab value="html">{TEXTS.html}</Tabs.Tab>
            <Tabs.Tab value="text">{TEXTS.text}</Tabs.Tab>
          </Tabs.List>
          <Group gap="sm">
            {saved}
            {open && <VariableMenu variables={variables} onInsert={(...inserted) => inserters.current[open]?.(...inserted)} />}
          </Group>
        </Group>
        <Grid>
          <Grid.Col span={{ base: 12, lg: 7 }}>
            {/* The blocks stay where they are while another tab is open: what was written in them is kept, and can be undone. */}
            <div hidden={way !== 'blocks'}>
              {copied !== null && (
                <Alert color="gray" mb="sm">
                  <Group justify="space-between">
                    {TEXTS.copied}
                    <Button variant="default" size="xs" onClick={() => backToHtml(copied)}>
                      {TEXTS.backToHtml}
                    </Button>
                  </Group>
                </Alert>
              )}
              {areBlocks ? (
                <Suspense fallback={<Loading />}>
                  <BlockEditor
                    from={blocksFrom}
                    onChange={onChange}
                    reader={reader}
                    onReady={(put) => {
                      inserters.current.blocks = put
                    }}
                  />
                </Suspense>
              ) : (
                <Alert color="gray" title={TEXTS.blocksFromHtml}>
                  <Stack align="flex-start" gap="sm">
                    {TEXTS.blocksFromHtmlMeans}
                    <Group>
                      <Button variant="default" onClick={() => copyToBlocks()}>
                        {TEXTS.copyToBlocks}
                      </Button>
                      <Button variant="default" onClick={() => setBlocksFrom({ start })}>
                        {TEXTS.startEmpty}
                      </Button>
                    </Group>
                  </Stack>
                </Alert>
              )}
            </div>
            <Tabs.Panel value="html">
              {isHtmlOfBlocks ? (
                <Alert color="gray" title={TEXTS.htmlFromBlocks}>
                  <Stack align="flex-start" gap="sm">
                    {TEXTS.htmlFromBlocksMeans}
                    <Button variant="default" onClick={changeHtml}>
                      {TEXTS.changeHtml}
                    </Button>
                  </Stack>
                </Alert>
              ) : (
                <Suspense fallback={<Loading />}>
                  {content.text.trim() !== '' && (
                    <Alert color="gray" mb="sm">
                      <Group justify="space-between">
                        {TEXTS.ownText}
                        <Button variant="default" size="xs" onClick={() => onChange({ ...content, text: '' })}>
                          {TEXTS.dropText}
                        </Button>
                      </Group>
                    </Alert>
                  )}
                  <HtmlEditor
                    label={TEXTS.html}
                    description={htmlHint}
                    value={content.html}
                    onChange={(html) => {
                      reader.current = null
                      setBlocksFrom(null)
                      onChange({ ...content, html, document: null })
                    }}
                    onReady={(put) => {
                      inserters.current.html = put
                    }}
                  />
                </Suspense>
              )}
            </Tabs.Panel>
            <Tabs.Panel value="text">
              {content.document === null ? (
                <Textarea
                  label={TEXTS.text}
                  description={TEXTS.noText}
                  rows={TEXT_ROWS}
                  dir="auto"
                  value={content.text}
                  onChange={({ currentTarget }) => onChange({ ...content, text: currentTarget.value })}
                />
              ) : (
                <Stack gap="xs">
                  <Text size="sm" c="dimmed">
                    {TEXTS.textOfBlocks}
                  </Text>
                  <Textarea label={TEXTS.text} rows={TEXT_ROWS} dir="auto" readOnly value={content.text} />
                </Stack>
              )}
            </Tabs.Panel>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 5 }}>
            <ContentPreview html={content.html} text={content.text} />
          </Grid.Col>
        </Grid>
      </Tabs>
    </Stack>
  )
}
