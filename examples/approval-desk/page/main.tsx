import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Desk } from "./desk.tsx";
import { AnnouncerProvider } from "./parts/announcer.tsx";
import { LanguageProvider } from "./words/language.tsx";

createRoot(document.getElementById("root")!).render(
  <StrictMode>
    <LanguageProvider>
      <AnnouncerProvider>
        <Desk />
      </AnnouncerProvider>
    </LanguageProvider>
  </StrictMode>,
);
