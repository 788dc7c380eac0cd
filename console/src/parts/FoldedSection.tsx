import { Button, Card, Collapse, Group, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type ReactNode, useId } from 'react'
import { SHELL_TEXTS as TEXTS } from '../texts/shell'

type FoldedSectionProps = { title: string; summary: string; isOpenAtFirst?: boolean; children: ReactNode }

/** A part of a page that few need: one line, until someone wants to see more. */
export function FoldedSection({ title, summary, isOpenAtFirst = false, children }: FoldedSectionProps) {
  const [isOpen, fold] = useDisclosure(isOpenAtFirst)
  const id = useId()
  return (
    <Card withBorder component="section" aria-label={title} px="md" py="xs">
      <Group justify="space-between" gap="xs">
        <Group gap="sm">
          <Title order={2} size="h3">
            {title}
          </Title>
          <Text c="dimmed">{summary}</Text>
        </Group>
        <Button
          size="compact-sm"
          variant="subtle"
          onClick={fold.toggle}
          aria-expanded={isOpen}
          aria-controls={id}
          aria-label={isOpen ? TEXTS.hideOf(title) : TEXTS.showOf(title)}
        >
          {isOpen ? TEXTS.hide : TEXTS.show}
        </Button>
      </Group>
      <Collapse expanded={isOpen} id={id} pt={isOpen ? 'sm' : 0}>
        {isOpen && children}
      </Collapse>
    </Card>
  )
}
