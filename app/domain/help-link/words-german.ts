/**
 * German nouns that are read aloud: common, one of each sound, without singular and plural of one. At least 1,296 (6^4),
 * so that six of them have 62 random bits (`words.server.ts`).
 */
export const GERMAN_WORDS: readonly string[] = `
  Abend Abenteuer Abfahrt Abflug Absatz Abschied Absender Abstand Abteil Abzug Achse Acker Adler Adresse Affe Ahorn
  Akazie Akkord Akte Aktion Album Alge Algebra Allee Alltag Almanach Alphabet Alter Ameise Amethyst Ampel Amsel
  Analyse Ananas Anfang Angebot Angel Anhang Anis Anker Ankunft Anlage Anlass Anruf Ansage Anschluss Anstrich Antenne
  Antrag Antwort Anwalt Anzeige Anzug Apfel Apotheke Applaus Aprikose April Aquarell Aquarium Arbeit Architekt Archiv
  Arena Argument Arktis Arm Armband Aroma Artikel Artischocke Arznei Asche Aspekt Asphalt Ast Aster Atelier Atem
  Athlet Atlas Atom Attest Aubergine Auflage Aufsatz Auftrag Aufzug Auge August Aula Ausblick Ausflug Ausgang Auskunft
  Ausland Aussicht Auster Ausweis Auto Automat Autor Avocado Axt Azalee Bach Backofen Bad Badetuch Bagger Bahnhof
  Bahnsteig Balance Balken Balkon Ball Ballade Ballett Ballon Bambus Banane Bank Banner Barock Bart Basar Basilikum
  Basis Batterie Bauer Baum Baumwolle Bauplan Bauwagen Becher Becken Beere Beet Befehl Begriff Beifall Bein Beispiel
  Beitrag Beleg Benzin Berater Bereich Berg Bericht Bernstein Beruf Besen Besteck Besuch Beton Bett Beutel Bewegung
  Beweis Bezirk Biber Biene Bild Bindung Birke Birne Bison Blatt Blech Blei Bleistift Blick Blitz Block Blume Bluse
  Boden Bogen Bohne Bohrer Boje Bonbon Boot Bordstein Botschaft Boxer Brandung Braten Bratsche Brause Brei Bremse
  Brett Brezel Brief Brille Brise Brokkoli Brombeere Bronze Brosche Brot Bruder Brunnen Buch Buche Buchstabe Bucht
  Bügel Bühne Bumerang Burg Büro Bus Busch Bussard Butter Cello Champignon Chaos Charakter Chef Chemie Chor Chronik
  Computer Creme Curry Dach Dachs Damm Dampf Datei Dattel Datum Dauer Daumen Decke Deckel Degen Deich Delfin Delta
  Denkmal Depot Detail Detektiv Dezember Diagramm Dialekt Dialog Diamant Diele Dienst Dienstag Diktat Dill Dinkel
  Diplom Dirigent Diskus Distel Dividende Doktor Dom Domino Donner Doppel Dorf Dorn Dose Drache Draht Drama Dreieck
  Dreirad Dressur Drossel Druck Dschungel Duft Düne Dünger Dunst Durst Dusche Dynamo Ebbe Ebene Echo Echse Ecke
  Edelstein Efeu Eiche Eichel Eidechse Eifer Eigelb Eimer Einfall Einhorn Einkauf Einladung Einsicht Eintritt Eis
  Eisbär Eisberg Eisen Eisvogel Elch Elefant Element Elfenbein Elite Ellbogen Elster Empfang Ende Endivie Energie
  Engel Enkel Ente Entwurf Enzian Epoche Erbe Erbse Erdbeere Erde Erdnuss Erfolg Ergebnis Erker Erle Ernte Esel Espe
  Essig Etage Etappe Eule Euro Europa Examen Expedition Experte Export Fabel Fabrik Fach Fächer Fackel Faden Fagott
  Fahne Fähre Fahrer Fahrrad Falke Falter Familie Fanfare Farbe Farm Farn Fasan Fasching Faser Fass Fassade Faust
  Februar Feder Fehler Feier Feige Feile Feld Fell Fels Fenchel Fenster Ferien Ferkel Fest Festung Feuer Fichte Figur
  Filiale Film Filter Filz Finale Finger Fink Finnland Firma Fisch Fischer Fjord Flagge Flamme Flasche Flaum Fleck
  Flieder Fliege Fliese Floskel Flöte Flotte Flug Flügel Flur Fluss Flut Fohlen Föhn Folge Folie Folklore Fontäne Form
  Formel Forscher Forst Foto Fracht Frage Frankreich Freiheit Freitag Freude Freund Frieden Frisur Frosch Frost Frucht
  Frühling Fuchs Fuge Führung Fülle Fund Fundament Funk Funke Furche Fuß Fußball Futter Gabel Galaxie Galerie Galopp
  Gang Gans Garage Garantie Garderobe Gardine Garn Garten Gärtner Gasse Gast Gebäck Gebäude Gebiet Gebirge Geburt
  Gedanke Gedicht Geduld Gefühl Gegend Gehalt Geier Geige Geist Geländer Geld Gelenk Gemälde Gemüse Genie Gepäck Gerät
  Geräusch Gericht Gerste Geruch Gesang Geschenk Gesetz Gesicht Gestell Gestirn Getreide Gewicht Gewinn Gewitter
  Gewürz Giebel Gießkanne Ginster Gipfel Gips Giraffe Gitarre Gitter Glanz Glas Glasur Glaube Gleis Gletscher Globus
  Glocke Glück Glut Gold Golf Gondel Gorilla Grafik Gramm Granit Gras Grenze Griff Grill Grille Gruppe Gruß Gulasch
  Gummi Gurke Gürtel Guss Gymnasium Haar Habicht Hafen Hafer Hagel Hahn Haken Halle Halm Hals Hammer Hamster Hand
  Handel Handschuh Handtuch Handwerk Hanf Harfe Harke Harz Hase Hasel Haube Haufen Haus Hebel Hecht Hecke Hefe Heft
  Heide Heidelbeere Heilung Heimat Heimweh Heizung Held Helfer Helm Hemd Hengst Herbst Herd Herde Hering Herz Heu
  Himbeere Himmel Hinweis Hirsch Hirse Hitze Hobby Hobel Hocker Hof Höhe Höhle Holunder Holz Honig Hopfen Horizont
  Horn Hortensie Hose Hotel Huf Hüfte Hügel Huhn Hülle Hummel Hummer Humor Hund Hunger Hupe Hut Hütte Hyäne Hymne Idee
  Igel Iglu Iltis Imbiss Imker Impfung Import Impuls Index Inhalt Insekt Insel Instrument Interesse Internet Inventur
  Iris Irland Italien Jacke Jagd Jaguar Jahr Januar Jasmin Joghurt Journal Jubel Jugend Juli Juni Jupiter Jurist Juwel
  Kabel Kabine Kachel Käfer Kaffee Käfig Kaiser Kakao Kaktus Kalb Kalender Kalk Kamel Kamera Kamille Kamin Kamm Kammer
  Kanal Kaninchen Kanne Kante Kanu Kanzel Kapelle Kapitän Kapitel Kappe Kapsel Kapuze Karaffe Karamell Karate Kardamom
  Karneval Karotte Karpfen Karren Karriere Karte Kartoffel Karton Karussell Käse Kasse Kastanie Kasten Katalog Kater
  Katze Kaufmann Kegel Kehle Keil Keks Kelch Keller Kellner Kern Kerze Kessel Kette Keule Kiefer Kies Kilo Kilometer
  Kind Kino Kiosk Kirche Kirsche Kissen Kiste Kiwi Klammer Klang Klappe Klarinette Klasse Klavier Klebstoff Klee Kleid
  Klima Klingel Klinik Klinke Klippe Kloster Klotz Kluft Knie Knoblauch Knochen Knödel Knopf Knospe Knoten Koch Koffer
  Kohle Kolben Kolibri Komet Komma Kommode Komödie Kompass Kompost König Konto Kontrast Kontrolle Konzert Kopf Kopie
  Koralle Korb Koriander Kork Korn Körper Kosmos Kostüm Krabbe Kraft Kragen Krähe Kralle Kran Kranich Kranz Krater
  Kraut Krawatte Krebs Kreide Kreis Kresse Kreuz Kreuzung Krimi Kristall Krokodil Krokus Krone Kröte Krug Krümel Kubus
  Küche Kuchen Kuckuck Kugel Kuh Kühlschrank Küken Kultur Kümmel Kunde Kunst Kupfer Kuppel Kurbel Kürbis Kurier Kurs
  Kurve Küste Kutsche Labor Labyrinth Lachs Lack Laden Ladung Lage Lager Lagune Lakritz Lama Lamm Lampe Land Landkarte
  Landschaft Länge Langlauf Lärm Larve Laser Last Laterne Latte Laub Laube Lauf Laune Lava Lavendel Lawine Leben
  Lebkuchen Leder Leguan Lehm Lehrer Leim Leinwand Leistung Leiter Lektion Lektüre Leopard Leser Leuchte Leute Lexikon
  Libelle Licht Liebe Lieferung Liege Lilie Limette Limonade Linde Lineal Linie Linse Lippe Liste Liter Lob Loch Locke
  Löffel Logbuch Logik Lohn Lokomotive Lorbeer Lösung Lotse Löwe Luchs Lücke Luft Luke Lupe Lust Luxus Lyrik Macht
  Magazin Magen Magnet Magnolie Mahnung Mais Majoran Makrele Makrone Maler Malz Mammut Mandarine Mandel Mangel Mango
  Mantel Mappe Marathon Märchen Marder Margarine Marille Marionette Marke Markise Markt Marmelade Marmor Mars Marsch
  Marzipan Maschine Maske Mast Material Mathematik Matratze Matrose Matte Mauer Maul Maulwurf Maurer Maus Mechanik
  Medaille Medizin Mehl Meinung Meise Meißel Meister Meldung Melisse Melodie Melone Menge Mensch Menü Merkur Messe
  Messer Messing Metall Meteor Meter Methode Metropole Miete Mikado Mikrofon Milch Mimose Mineral Minute Minze
  Mischung Mispel Mission Mittag Mitte Mittel Mittwoch Möbel Modell Mohn Möhre Mole Molekül Moment Monat Mond Monitor
  Monsun Montag Moos Morchel Morgen Mosaik Motiv Motor Motte Möwe Mücke Müll Müller Mund Münze Murmel Muschel Museum
  Musik Muskat Muskel Müsli Muster Mut Mutter Mütze Mythos Nachbar Nachricht Nacht Nachtigall Nacken Nadel Nagel Nähe
  Nahrung Name Narzisse Nase Nashorn Natur Navigation Nebel Neffe Nelke Nerv Nest Netz Neugier Neumond Neuseeland
  Nichte Nische Niveau Norden Norm Norwegen Notiz Novelle November Nudel Nugget Nummer Nuss Nutzen Oase Obst Ochse
  Ofen Ohr Oktave Oktober Olive Omelett Onkel Oper Optik Orange Orchester Orchidee Orden Ordner Ordnung Oregano Organ
  Orgel Orient Orkan Ort Osten Osterei Österreich Otter Ovation Ozean Paar Päckchen Paddel Paket Palast Palme
  Pampelmuse Panda Panne Panorama Panther Pantoffel Papagei Papaya Papier Pappe Pappel Paprika Parade Paradies Parfüm
  Park Parkett Parole Partner Pass Passage Passant Paste Patent Pause Pavian Pavillon Pech Pedal Pegel Pelikan Pelz
  Pendel Pension Perle Person Perücke Petersilie Petunie Pfad Pfand Pfanne Pfau Pfeffer Pfeife Pfeil Pfeiler Pferd
  Pfifferling Pfirsich Pflanze Pflaster Pflaume Pflege Pflicht Pflug Pforte Pfosten Pfote Pfütze Philosoph Physik
  Pilger Pilot Pilz Pinguin Pinie Pinnwand Pinsel Pinzette Pirat Pistazie Pizza Plakat Plan Planet Planke Plastik
  Platane Plateau Platin Platte Platz Plombe Podest Poesie Pokal Polster Pony Portal Portion Porträt Porzellan Posaune
  Position Post Praline Praxis Preis Presse Primel Prinz Prisma Probe Problem Produkt Profil Programm Projekt
  Propeller Prosa Protokoll Provinz Prozent Prüfung Publikum Pudding Pudel Puder Pullover Puls Pult Pulver Puma Pumpe
  Punkt Pupille Puppe Pyramide Quadrat Qualle Quark Quartett Quarz Quelle Querflöte Quirl Quitte Quittung Quiz Quote
  Rabatt Rabe Radar Radieschen Radio Rahmen Rakete Rampe Rand Rang Rasen Rast Rätsel Raum Raupe Realität Rechen
  Rechnung Rechteck Redakteur Rede Reederei Reform Regal Regel Regen Regie Region Register Reh Reifen Reihe Reim Reis
  Reise Reiter Rekord Rektor Rente Reptil Republik Reserve Respekt Rest Restaurant Resultat Rettich Rettung Revier
  Rezept Rhabarber Rhythmus Richter Richtung Riegel Riemen Riese Rinde Ring Ringelblume Rippe Risiko Riss Ritter
  Ritual Robbe Robe Roboter Rock Roggen Rohr Rolle Roller Roman Romanze Röntgen Rose Rosine Rosmarin Rost Route Rübe
  Rubin Rücken Rucksack Ruder Ruf Ruhe Ruhm Ruine Rumpf Runde Rüssel Rüstung Rutsche Saal Sache Sack Safari Safran
  Saft Sage Säge Sahne Saison Sakko Salami Salat Salbe Salbei Salon Salz Samen Sammler Samstag Samt Sand Sandale
  Sandkorn Sänger Saphir Sardine Sattel Satz Säule Saum Sauna Saxofon Schach Schacht Schaf Schakal Schal Schale
  Schalter Schatten Schatz Schaufel Schaukel Schaum Scheibe Schein Schelle Schema Scherbe Schere Scherz Scheune
  Schicht Schiefer Schiene Schiff Schild Schilf Schimmel Schinken Schirm Schlaf Schlag Schlange Schlauch Schleife
  Schleuse Schlitten Schloss Schlucht Schluck Schlüssel Schmied Schmuck Schnabel Schnalle Schnecke Schnee Schneider
  Schnitt Schnitzel Schnupfen Schnur Schokolade Schöpfer Schotter Schrank Schraube Schreck Schreiner Schrift Schritt
  Schubkarre Schublade Schuh Schule Schulter Schuppe Schürze Schüssel Schutz Schwalbe Schwamm Schwan Schweden Schweif
  Schweiz Schwelle Schwert Schwester Schwimmer Schwung Segel Segen Sehne Sehnsucht Seide Seife Seil Sekunde Sellerie
  Seminar Semmel Senf September Serie Serviette Sessel Sichel Sieb Sieg Siegel Signal Silbe Silber Silo Sinn Sirene
  Sirup Sitz Skala Skizze Skorpion Skulptur Slalom Smaragd Socke Sockel Sofa Sohle Sohn Solist Sommer Sonate Sonne
  Sonnenuhr Sonntag Sorte Spalte Spanien Spargel Sparren Spaß Spaten Spatz Specht Speck Speer Speiche Speicher Speise
  Sperling Spiegel Spiel Spinat Spindel Spinne Spion Spirale Spitze Splitter Sport Sprache Spritze Sprosse Spruch
  Sprung Spule Spur Staat Stachel Stadion Staffel Stahl Stall Stamm Standort Stange Stapel Stärke Start Station Statue
  Staub Steckdose Steg Stein Stelle Stempel Steppe Stern Steuer Stichwort Stiefel Stier Stift Stille Stimme Stirn
  Stock Stoff Stolz Stopp Storch Strand Straße Strauch Strauß Streich Streifen Strich Strick Strom Strudel Struktur
  Strumpf Stube Stück Student Studie Studio Stufe Stuhl Stunde Sturm Stute Stütze Suche Süden Sultan Summe Sumpf Suppe
  Symbol Sympathie System Szene Tabelle Tablett Tafel Tag Tagebuch Taifun Takt Talent Talisman Tandem Tango Tank Tanne
  Tante Tanz Tapete Tasche Taschenlampe Tasse Taste Taube Taucher Tausch Taxi Technik Tee Teer Teich Teig Teil Telefon
  Teleskop Teller Tempel Temperatur Tempo Tennis Tenor Teppich Termin Terrasse Test Text Theater Theke Thema Theorie
  Therapie Thermalbad Thron Thymian Tiefe Tier Tiger Tinte Tisch Tischler Titel Tochter Ton Tonne Topf Torte Tourist
  Tradition Traktor Trampolin Träne Transport Traube Traum Treffer Treppe Tresor Tribüne Trichter Trick Trikot Triumph
  Trommel Trompete Tropfen Truhe Trumpf Tuch Tulpe Tümpel Tunnel Turban Turbine Türkis Turm Turner Turnier Tusche Tüte
  Ufer Uhu Ulme Umhang Umriss Umschlag Umweg Umwelt Umzug Ungarn Uniform Unikat Union Universum Unkraut Unterhalt
  Urkunde Urlaub Ursache Urteil Urwald Utopie Vanille Variante Vase Vater Veilchen Ventil Venus Verband Verein
  Vergleich Verkehr Verlag Vernunft Vers Verstand Versuch Vertrag Video Viertel Villa Violine Vision Visum Vitamin
  Vitrine Vogel Vokabel Vokal Vollmond Vorhang Vorrat Vorteil Vortrag Vulkan Wabe Wache Wachs Wachtel Wade Waffel
  Wagen Wagnis Wald Walnuss Walross Walze Walzer Wand Wanderer Wange Wanne Wappen Wärme Warnung Wärter Wäsche Wasser
  Watte Weber Wecker Weg Weide Weiher Weihnachten Weizen Welle Welpe Welt Wende Werft Werk Werkstatt Wespe Weste
  Westen Wetter Wicke Widder Wiege Wiese Wildnis Wimpel Wimper Wind Windel Winkel Winter Wippe Wirbel Wirkung Wirt
  Wissen Witz Woche Wohnung Wolf Wolke Wolle Wort Wunder Wunsch Würde Würfel Wurm Wurst Wurzel Wüste Yacht Ysop Zacke
  Zahl Zahn Zange Zapfen Zauber Zaun Zebra Zeder Zeichen Zeile Zeit Zeitung Zelle Zelt Zement Zentrum Zepter Zettel
  Zeuge Ziege Ziegel Ziel Ziffer Zimmer Zimt Zink Zinn Zinsen Zirkel Zirkus Zitat Zither Zitrone Zofe Zone Zopf Zucker
  Zug Zukunft Zunge Zutat Zweifel Zweig Zwerg Zwiebel Zwilling Zylinder
`
  .trim()
  .split(/\s+/);
