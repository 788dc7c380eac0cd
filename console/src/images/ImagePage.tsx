import { Alert, Box, Text } from '@mantine/core'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { DeleteMenu } from '../parts/DeleteMenu'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { PageLink } from '../parts/PageLink'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { useAddressPart, useGo } from '../shell/address'
import { IMAGE_TEXTS as TEXTS } from '../texts/images'
import { Picture, sizeOf } from './ImageGrid'

type Image = RecordOf<'/images/{image_id}'>

const HEIGHT = 320

export default function ImagePage() {
  const id = useAddressPart('imageId')
  const may = useMay()
  const { data: image, error, refetch } = useRecord('/images/{image_id}', { path: { image_id: id } })
  const { data: team } = useRecord('/team', undefined, { isEnabled: may('team:read') })
  if (!image) return <Awaited read={{ error, refetch }} />
  const isLogo = team?.logo_id === image.id
  return (
    <Page
      title={image.name}
      back={{ to: '/images', name: TEXTS.title }}
      acts={may('images:write') && <Delete image={image} isLogo={isLogo} />}
    >
      {image.taken_down_at !== null && (
        <Alert color="red" title={TEXTS.takenDown}>
          {image.taken_down_reason} <Time at={image.taken_down_at} />
        </Alert>
      )}
      <Section title={TEXTS.picture}>
        <Box bg="gray.1" p="sm">
          <Picture image={image} height={HEIGHT} alt={image.name} />
        </Box>
      </Section>
      <Section title={TEXTS.uses}>
        {usesOf(image).map((sentence) => (
          <Text key={sentence}>{sentence}</Text>
        ))}
        {isLogo && (
          <PageLink to="/settings" w="fit-content">
            {TEXTS.isLogo}
          </PageLink>
        )}
        <Text c="dimmed">{TEXTS.otherUses}</Text>
      </Section>
      <Section title={TEXTS.details}>
        <Facts
          facts={[
            [TEXTS.address, <Copyable key="address" text={image.url} />],
            [TEXTS.size, sizeOf(image)],
            [TEXTS.type, image.content_type],
            [TEXTS.storedAt, <Time key="at" at={image.created_at} />],
            [TEXTS.id, <Copyable key="id" text={image.id} />],
          ]}
        />
      </Section>
    </Page>
  )
}

const usesOf = ({ sent_broadcasts: sent, unsent_broadcasts: unsent, templates }: Image): string[] => [
  TEXTS.broadcasts(sent),
  ...(unsent > 0 ? [TEXTS.unsent(unsent)] : []),
  TEXTS.templates(templates),
]

function Delete({ image, isLogo }: { image: Image; isLogo: boolean }) {
  const go = useGo()
  const path = { image_id: image.id }
  return (
    <DeleteMenu
      name={TEXTS.remove}
      means={[TEXTS.removeMeans, ...usesOf(image), TEXTS.otherUses, ...(isLogo ? [TEXTS.removeLogo] : [])]}
      run={() => answer(api.DELETE('/images/{image_id}', { params: { path } }))}
      done={TEXTS.removed}
      changes={['images', 'team']}
      onDone={() => go('/images')}
    />
  )
}
