import { Alert, Grid, NumberInput, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { useAllRows, useRecord } from '../api/queries'
import { ContentEditor } from '../content/ContentEditor'
import type { ContentState } from '../content/content'
import { PageForm } from '../parts/PageForm'
import { PageLink } from '../parts/PageLink'
import type { PageFormState } from '../parts/page-form'
import { Section } from '../parts/Section'
import { SenderField } from '../parts/SenderField'
import { useMay } from '../session/me'
import { DRAFT_TEXTS as TEXTS, BROADCAST_TEXTS as WORDS } from '../texts/broadcasts'
import { AUTOSAVE_TEXTS } from '../texts/content'
import { CHECK_TEXTS } from '../texts/sending'
import type { DraftValues } from './draft'

const NAME_LENGTH_MAX = 70
const RATE_MIN = 1

/** To whom, from whom, and what: the form of a broadcast that is not sent yet. */
type DraftFormProps = {
  page: PageFormState<DraftValues>
  content: ContentState
  act?: string
  saved?: ReactNode
  checks?: ReactNode
  beginning?: ReactNode
  contentKey?: number
}

export function DraftForm({ page, content, act = TEXTS.save, saved, checks, beginning, contentKey }: DraftFormProps) {
  const { form } = page
  const field = (name: keyof DraftValues) => form.getInputProps(name)
  return (
    <PageForm {...page} act={act} {...(saved !== undefined && { leave: AUTOSAVE_TEXTS.close })}>
      <Section title={TEXTS.who}>
        <SimpleGrid cols={{ base: 1, md: 2 }}>
          <Segment {...field('segment_id')} />
          <Topic {...field('topic_id')} />
          <SenderField label={WORDS.from} description={TEXTS.fromHint} required {...field('from')} />
          <TextInput label={WORDS.replyTo} description={TEXTS.replyToHint} {...field('reply_to')} />
          <TextInput label={WORDS.name} description={TEXTS.nameHint} maxLength={NAME_LENGTH_MAX} {...field('name')} />
          <NumberInput label={TEXTS.rate} description={TEXTS.rateHint} min={RATE_MIN} thousandSeparator="," {...field('rate_per_hour')} />
        </SimpleGrid>
      </Section>
      <Section title={TEXTS.what}>
        <Grid>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <TextInput label={WORDS.subject} description={TEXTS.subjectHint} required {...field('subject')} />
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 6 }}>
            <TextInput label={WORDS.previewText} description={TEXTS.previewTextHint} {...field('preview_text')} />
          </Grid.Col>
        </Grid>
        {beginning}
        <ContentEditor key={contentKey} state={content} saved={saved} start="broadcast" htmlHint={TEXTS.htmlHint} />
      </Section>
      {checks && <Section title={CHECK_TEXTS.title}>{checks}</Section>}
    </PageForm>
  )
}

type ChoiceProps = { value?: string | null; onChange: (value: string | null) => void; error?: ReactNode }

function Segment(props: ChoiceProps) {
  const may = useMay()
  const mayRead = may('segments:read')
  const segments = useAllRows('/segments', { isEnabled: mayRead })
  const { data: counts } = useRecord('/segments/metrics', undefined, { isEnabled: mayRead })
  if (mayRead && !segments.isLoading && segments.error === null && segments.rows.length === 0)
    return (
      <Alert color="orange">
        <Stack gap={4}>
          {TEXTS.segmentNone}
          <PageLink to="/segments">{TEXTS.segmentCreate}</PageLink>
        </Stack>
      </Alert>
    )
  const people = new Map(counts?.data.map(({ id, subscribers }) => [id, subscribers]))
  const chosen = props.value ? people.get(props.value) : undefined
  return (
    <Select
      label={WORDS.segment}
      description={chosen == null ? TEXTS.segmentHint : TEXTS.subscribers(chosen)}
      data={segments.rows.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      required
      {...props}
    />
  )
}

function Topic(props: ChoiceProps) {
  const may = useMay()
  const topics = useAllRows('/topics', { isEnabled: may('topics:read') }).rows
  return (
    <Select
      label={WORDS.topic}
      description={TEXTS.topicHint}
      data={topics.map(({ id, name }) => ({ value: id, label: name }))}
      searchable
      clearable
      {...props}
    />
  )
}
