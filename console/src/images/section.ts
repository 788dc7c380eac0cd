import { Image } from 'lucide-react'
import type { Section } from '../shell/sections'

export const imagesSection: Section = {
  name: 'Images',
  path: 'images',
  group: 'Mail',
  icon: Image,
  scopes: ['images:read'],
  pages: { '': () => import('./ImagesPage'), $imageId: () => import('./ImagePage') },
}
