import { withBase, type Theme } from 'vitepress'
import DefaultTheme from 'vitepress/theme'
import Mermaid from './Mermaid.vue'
import './style.css'

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router, siteData }) {
    app.component('Mermaid', Mermaid)
    // The menu of languages leads to a home page: from a page that is translated, to its translation
    router.onBeforeRouteChange = (to) => {
      const here = '/' + router.route.data.relativePath.replace(/(index)?\.md$/, '')
      const home = here.startsWith('/zh-CN/') ? '/' : '/zh-CN/'
      const pages: string[][] = siteData.value.themeConfig.translations
      const there = pages.find((pair) => pair.includes(here))?.find((page) => page !== here)
      if (there && there !== home && new URL(to, 'file:').pathname === withBase(home)) {
        router.go(withBase(there))
        return false
      }
    }
  },
} satisfies Theme
